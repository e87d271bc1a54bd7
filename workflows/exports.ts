import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ExportActivities } from '../activities/jobs/exports.ts';
import type { ExportRef } from '../src/exports/contract.ts';
import { WAKE } from '../src/temporal/contract.ts';
import { EXPORT } from './activity-options.ts';
import { countSignals } from './signals.ts';

const { writeExport } = proxyActivities<ExportActivities>({ ...EXPORT, summary: 'write the file of an export' });

/** Writes the file of an export, again if something was erased meanwhile. */
export async function exportRecords(ref: ExportRef): Promise<void> {
  countSignals(WAKE); // a start by a signal needs its handler
  for (;;) {
    const { isEnded, written } = await writeExport(ref);
    setCurrentDetails(`${written} records are written.`);
    if (isEnded) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof exportRecords>(ref);
  }
}
