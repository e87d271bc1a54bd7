import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ContactImportActivities } from '../activities/jobs/contact-imports.ts';
import type { ContactImportRef } from '../src/contacts/imports/contract.ts';
import { WAKE } from '../src/temporal/contract.ts';
import { SEND_BATCH } from './activity-options.ts';
import { countSignals } from './signals.ts';

const { continueContactImport } = proxyActivities<ContactImportActivities>({
  ...SEND_BATCH,
  summary: 'import contacts',
});

/** Imports the contacts of a file, batch after batch. */
export async function importContacts(ref: ContactImportRef): Promise<void> {
  countSignals(WAKE); // a start by a signal needs its handler
  for (;;) {
    const { isEnded, lines, refused } = await continueContactImport(ref);
    setCurrentDetails(`${lines} lines are done, ${refused} of them were refused.`);
    if (isEnded) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof importContacts>(ref);
  }
}
