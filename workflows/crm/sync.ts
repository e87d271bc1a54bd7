import {
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { CrmActivities } from '../../activities/crm.ts';
import type { AccountRef, ThreadRef, TicketRef } from '../../src/crm/contract.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { CRM_CALL } from '../activity-options.ts';
import { countSignals } from '../signals.ts';
import { outcomeOf, retryUntilDone, waitForRetryRound } from './retries.ts';

const { syncThread } = proxyActivities<CrmActivities>({
  ...CRM_CALL,
  summary: 'process the events of the conversation',
});
const { postNextThreadMessage } = proxyActivities<CrmActivities>({ ...CRM_CALL, summary: 'post a reply to the CRM' });
const { confirmAccount } = proxyActivities<CrmActivities>({ ...CRM_CALL, summary: 'confirm the CRM account' });
const { syncTicket } = proxyActivities<CrmActivities>({ ...CRM_CALL, summary: 'process the events of the ticket' });

/**
 * Syncs a conversation between the CRM and its session: stores messages from the CRM in order, one at a time, and posts
 * messages from the session. Neither direction waits for the other. Ends when nothing is left to do; the next signal
 * starts it again. All facts are in the database.
 */
export async function syncCrmThread(input: ThreadRef): Promise<void> {
  const signals = countSignals(WAKE);
  for (;;) {
    const seen = signals();
    const isWoken = () => signals() > seen;
    const read = await outcomeOf(syncThread(input));
    const { hasMore = false, waitMs = 0, unsent = 1 } = read.result ?? {};
    const said = unsent > 0 ? await postAll(input) : {};
    setCurrentDetails('');
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof syncCrmThread>(input);
    if (waitMs > 0) await sleep(waitMs, { summary: 'waiting until the e-mail is final in the CRM' });
    else if (hasMore || isWoken()) continue;
    else if (read.error !== undefined) await waitForRetryRound('read the conversation', read.error, isWoken);
    else if (said.error !== undefined) await waitForRetryRound('post a reply', said.error, isWoken);
    else return;
  }
}

/** Posts messages one after the other, until none is left, one fails, or the workflow should continue as new. */
async function postAll(input: ThreadRef): Promise<{ error?: unknown }> {
  for (;;) {
    const { result, error } = await outcomeOf(postNextThreadMessage(input));
    if (error !== undefined) return { error };
    if (!result || workflowInfo().continueAsNewSuggested) return {};
  }
}

/**
 * Syncs a ticket from the CRM, or the notes of all tickets. Ends when nothing is left to do; the next signal starts it
 * again.
 */
export async function syncCrmTicket(input: TicketRef): Promise<void> {
  const signals = countSignals(WAKE);
  for (;;) {
    const seen = signals();
    const { hasMore, waitMs } = await retryUntilDone('read the ticket', () => syncTicket(input), { input, signals });
    setCurrentDetails('');
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof syncCrmTicket>(input);
    if (waitMs > 0)
      await condition(() => signals() > seen, waitMs, { summary: 'waiting until a note has its ticket in the CRM' });
    else if (!hasMore && signals() === seen) return;
  }
}

/** Asks the CRM to identify the account of an org's credentials, until it answers. Returns the answer as text. */
export async function confirmCrmAccount(input: AccountRef): Promise<string> {
  return retryUntilDone('confirm the CRM account', () => confirmAccount(input), { input, signals: countSignals(WAKE) });
}
