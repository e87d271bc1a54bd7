import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { MiawActivities } from '../../activities/miaw.ts';
import type { SessionRef } from '../../src/crm/contract.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { CRM_CALL } from '../activity-options.ts';
import { countSignals } from '../signals.ts';
import { outcomeOf, waitForRetryRound } from './retries.ts';

const { sendNextMiawMessage } = proxyActivities<MiawActivities>({
  ...CRM_CALL,
  summary: 'send a message of the contact to Salesforce',
});
const { fetchMiawMessages } = proxyActivities<MiawActivities>({
  ...CRM_CALL,
  summary: 'fetch agent messages from Salesforce',
});

/**
 * Sends the contact's messages of a session to its Salesforce conversation, one by one, and fetches the messages of
 * agents. A failure of either does not block the other. Ends when nothing is left to do; a signal meanwhile starts
 * another round. All facts are in the database.
 */
export async function syncMiaw(input: SessionRef): Promise<void> {
  const signals = countSignals(WAKE);
  for (;;) {
    const seen = signals();
    const isWoken = () => signals() > seen;
    const said = await outcomeOf(sendNextMiawMessage(input));
    const remaining = said.result ?? 0;
    const read = remaining > 0 ? undefined : await outcomeOf(fetchMiawMessages(input));
    setCurrentDetails(
      remaining > 0 ? `${remaining} contact messages are waiting to be sent` : describe(read?.result?.stored ?? 0),
    );
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof syncMiaw>(input);
    if (isWoken()) continue;
    if (said.error !== undefined)
      await waitForRetryRound('send a message of the contact to Salesforce', said.error, isWoken);
    else if (read?.error !== undefined) await waitForRetryRound('fetch what people said', read.error, isWoken);
    else if (remaining === 0 && !read?.result?.hasMore) return;
  }
}

const describe = (stored: number) =>
  stored === 0 ? 'No messages are waiting' : `Fetched ${stored} new agent messages`;
