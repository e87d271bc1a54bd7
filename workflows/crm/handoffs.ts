import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  sleep,
} from '@temporalio/workflow';
import type { SummaryActivities } from '../../activities/ai/summaries.ts';
import type { CrmActivities } from '../../activities/crm.ts';
import type { SessionRef, SessionRun } from '../../src/crm/contract.ts';
import { isOptionalPart } from '../../src/crm/handoffs/rules.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { CRM_CALL, DATABASE_BATCH, MODEL_SUMMARY } from '../activity-options.ts';
import { countSignals } from '../signals.ts';
import { outageOf, retryUntilDone, roundIntervalOf } from './retries.ts';

/** A session that is closed and reopened within this time leaves its ticket alone. */
const TICKET_STAGE_DELAY_MS = 15_000;

type HandoffPart = Parameters<CrmActivities['createHandoffPart']>[0]['part'];

const { planHandoff } = proxyActivities<CrmActivities>({ ...CRM_CALL, summary: 'plan the handoff' });
const { summarizeSession } = proxyActivities<SummaryActivities>({
  ...MODEL_SUMMARY,
  summary: 'ask the model for a summary',
});
const { closeTicket } = proxyActivities<CrmActivities>({ ...CRM_CALL, summary: 'close the ticket' });
const { reopenTicket } = proxyActivities<CrmActivities>({ ...CRM_CALL, summary: 'reopen the ticket' });
const { parkHandoffPart } = proxyActivities<CrmActivities>({
  ...DATABASE_BATCH,
  summary: 'show that the handoff part is waiting for a retry',
});

/**
 * Hands a session off to the agents' system, part by part. A part is parked while the CRM is unavailable, and retried
 * in the next round or by hand. A part refused by the CRM fails the run, after all other parts were created.
 */
export async function handOffSession(input: SessionRun): Promise<void> {
  const signals = countSignals(WAKE);
  await summarize(input);
  let refused: HandoffPart[];
  let seen: number;
  do {
    seen = signals();
    refused = await createParts(input, signals);
  } while (signals() > seen); // an agent may have retried a refused part meanwhile
  setCurrentDetails(
    refused.length === 0 ? 'Handed off' : `Partially handed off. The CRM refused: ${refused.join(', ')}`,
  );
  if (refused.length > 0)
    throw ApplicationFailure.nonRetryable(
      `The ticketing system refused: ${refused.join(', ')}. The session says why; retry or settle it there.`,
      'PartRefused',
    );
}

/**
 * Asks the org's model for the summary that the ticket gets. Without it, the ticket has the conversation's own
 * sentences.
 */
async function summarize({ orgId, sessionId }: SessionRun): Promise<void> {
  setCurrentDetails('Now: summarize the conversation');
  try {
    await summarizeSession({ orgId, sessionId, occasion: 'handoff' });
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
  }
}

/** Creates the pending parts. Returns the refused parts, except the optional ones. */
async function createParts(input: SessionRun, signals: () => number): Promise<HandoffPart[]> {
  const patience = { input, signals };
  const { pending, refused } = await retryUntilDone('plan the handoff', () => planHandoff(input), patience);
  for (const part of pending) {
    setCurrentDetails(`Now: create the ${part}`);
    const { createHandoffPart } = proxyActivities<CrmActivities>({ ...CRM_CALL, summary: `create the ${part}` });
    const outcome = await retryUntilDone(
      `create the ${part}`,
      () => tryPart(input, part, () => createHandoffPart({ ...input, part })),
      patience,
    );
    if (outcome === 'failed') refused.push(part);
  }
  return refused.filter((part) => !isOptionalPart(part));
}

type Outcome = 'done' | 'skipped' | 'failed';

/**
 * Tries to create a part. If the CRM is unavailable, the session shows the part as parked, or as failed if it is
 * optional.
 */
async function tryPart(input: SessionRun, part: HandoffPart, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (outageOf(error) === undefined) throw error;
    const nextTryAt = new Date(Date.now() + roundIntervalOf(error)).toISOString();
    await parkHandoffPart({ ...input, part, isGivenUp: isOptionalPart(part), nextTryAt });
    if (isOptionalPart(part)) return 'failed';
    throw error;
  }
}

/** Moves the session's ticket to its closed stage after 15 s, unless the session was reopened meanwhile. */
export async function closeTicketLater(input: SessionRun): Promise<'closed' | 'reopened'> {
  await sleep(TICKET_STAGE_DELAY_MS, { summary: 'waiting to close the ticket unless the session reopens' });
  return retryUntilDone('close the ticket', () => closeTicket(input), { input, signals: countSignals(WAKE) });
}

/** Moves the session's ticket back to its open stage after 15 s, unless the session was closed meanwhile. */
export async function reopenTicketLater(input: SessionRef): Promise<'open' | 'closed'> {
  const signals = countSignals(WAKE);
  for (;;) {
    const seen = signals();
    await sleep(TICKET_STAGE_DELAY_MS, { summary: 'waiting to reopen the ticket unless the session closes' });
    const outcome = await retryUntilDone('reopen the ticket', () => reopenTicket(input), { input, signals });
    if (signals() === seen) return outcome;
  }
}
