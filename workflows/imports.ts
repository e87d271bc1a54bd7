import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ImportActivities } from '../activities/jobs/imports.ts';
import type { ImportRef } from '../src/imports/contract.ts';
import { WAKE } from '../src/temporal/contract.ts';
import { SEND_BATCH } from './activity-options.ts';
import { countSignals } from './signals.ts';

const { continueRecordImport } = proxyActivities<ImportActivities>({
  ...SEND_BATCH,
  summary: 'import records of another desk',
});

/** Imports the records of a file, batch after batch. */
export async function importRecords(ref: ImportRef): Promise<void> {
  countSignals(WAKE); // a start by a signal needs its handler
  for (;;) {
    const { isEnded, records, leftOut } = await continueRecordImport(ref);
    setCurrentDetails(`${records} records are done, ${leftOut} of them were left out.`);
    if (isEnded) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof importRecords>(ref);
  }
}
