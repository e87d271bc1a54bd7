import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { MiawActivities } from '../activities/miaw.ts';
import { type SessionRef, WAKE } from '../src/crm/contract.ts';
import { CRM_CALL } from './activity-options.ts';
import { outcomeOf, waitForRound } from './crm-rounds.ts';
import { countSignals } from './signals.ts';

const { sayNextInMiaw } = proxyActivities<MiawActivities>({ ...CRM_CALL, summary: 'send on what the contact said' });
const { readFromMiaw } = proxyActivities<MiawActivities>({
  ...CRM_CALL,
  summary: 'fetch what people said in Salesforce',
});

/**
 * Sends what the contact says in a session on to its conversation in Salesforce, message by message, and fetches what people say there. Neither
 * waits for the other. Ends where nothing is left to do; a signal meanwhile has it look once more. All facts are in the database.
 */
export async function syncMiaw(input: SessionRef): Promise<void> {
  const signals = countSignals(WAKE);
  for (;;) {
    const seen = signals();
    const isWoken = () => signals() > seen;
    const said = await outcomeOf(sayNextInMiaw(input));
    const left = said.result ?? 0;
    const read = left > 0 ? undefined : await outcomeOf(readFromMiaw(input));
    setCurrentDetails(
      left > 0 ? `${left} messages of the contact wait to be sent` : describe(read?.result?.stored ?? 0),
    );
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof syncMiaw>(input);
    if (isWoken()) continue;
    if (said.error !== undefined) await waitForRound('send on what the contact said', said.error, isWoken);
    else if (read?.error !== undefined) await waitForRound('fetch what people said', read.error, isWoken);
    else if (left === 0 && !read?.result?.hasMore) return;
  }
}

const describe = (stored: number) => (stored === 0 ? 'Nothing waits' : `${stored} new messages of people were fetched`);
