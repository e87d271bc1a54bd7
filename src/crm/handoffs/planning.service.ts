import { randomUUID } from 'node:crypto';
import {
  getHandoffBriefing,
  isWithoutParts,
  lockHandoff,
  updateHandoff,
} from '../../conversations/handoff/status.service.ts';
import { addSystemOfAgents } from '../../conversations/messages/relay.service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { findHandoffTarget } from '../../orgs/settings/handoff-target.service.ts';
import type { HandoffPart } from '../../providers/crm/port.ts';
import type { SessionRun } from '../contract.ts';
import { insertConversation, insertMiawMessages } from '../salesforce/conversation-store.service.ts';
import { insertParts, reopenForHandoff, skipParts } from './queries.ts';
import type { TicketingTarget } from './rules.ts';
import { type ConnectedSystem, connectionTo, type HandoffDeps, listPartsIn, progressOf } from './service.ts';
import type { PartState } from './table.ts';
import { scheduleReopeningsOf } from './ticket-reopening.service.ts';

interface HandoffPlan {
  pending: HandoffPart[];
  refused: HandoffPart[];
}

/** The plan of a handoff that has no target any more, or whose session was returned to the AI or handed off again. */
const EMPTY_PLAN: HandoffPlan = { pending: [], refused: [] };

const NO_TICKETING = 'ticketing is disabled';

/**
 * Stores the parts of a handoff, with those of earlier ones reopened, and returns its pending and its refused parts. Planning
 * again changes nothing. Nothing is left of a handoff that its session no longer has. Throws a transient CrmError while
 * its target is not connected.
 */
export async function planHandoff(db: Db, deps: HandoffDeps, run: SessionRun): Promise<HandoffPlan> {
  const target = await inTransaction(db, (trx) => decideTarget(trx, run));
  if (target === undefined) return EMPTY_PLAN;
  const system = await connectionTo(deps, run.orgId, target);
  return inTransaction(db, (trx) => storePlan(trx, run, target, system));
}

/**
 * Returns the target of a handoff: the system that it has begun in, or else the org's, connected or not. The handoff says
 * what it waits for, and is done without any part once the org has no target any more. Undefined if nothing is left of
 * it.
 */
async function decideTarget(trx: Trx, { orgId, sessionId, n }: SessionRun): Promise<TicketingTarget | undefined> {
  const handoff = await lockHandoff(trx, orgId, sessionId, n);
  if (handoff === undefined || isWithoutParts(handoff)) return undefined;
  const begun = handoff.target;
  if (begun !== undefined) return begun;
  const { target, ...outlook } = await findHandoffTarget(trx, orgId);
  const { waits_for, ...waiting } = handoff;
  if (target === undefined)
    await updateHandoff(trx, orgId, sessionId, { ...waiting, ...outlook, state: 'done', parts: [] });
  else if (outlook.waits_for !== undefined && outlook.waits_for !== waits_for)
    await updateHandoff(trx, orgId, sessionId, { ...waiting, ...outlook });
  return target;
}

async function storePlan(
  trx: Trx,
  { orgId, sessionId, n }: SessionRun,
  target: TicketingTarget,
  { crm, isTicketing }: ConnectedSystem,
): Promise<HandoffPlan> {
  const names = crm.parts.map(({ name }) => name);
  const disabled = isTicketing ? [] : names.filter((name) => name !== 'comment');
  const isAnother = (await reopenForHandoff(trx, orgId, { sessionId, n }, names)) && n > 1;
  await insertParts(trx, orgId, { sessionId, n }, names);
  await skipParts(trx, orgId, sessionId, { parts: disabled, reason: NO_TICKETING });
  if (target === 'crm' && isAnother) await scheduleReopeningsOf(trx, orgId, [sessionId]); // before the session's lock
  const locked = await lockHandoff(trx, orgId, sessionId, n); // a text that is redacted meanwhile must not come back
  if (locked === undefined) return EMPTY_PLAN;
  if ((locked.target ?? target) !== target) throw new Error('The handoff has begun in another system meanwhile');
  const parts = await listPartsIn(trx, orgId, sessionId, target);
  const isSettled = parts.some(({ part, state }) => part === 'conversation' && state === 'settled');
  if (target === 'miaw' && !isSettled) await startConversation(trx, orgId, sessionId);
  const { waits_for: _, ...handoff } = locked;
  const { summary, summary_by } = await getHandoffBriefing(trx, orgId, sessionId);
  const report = { ...progressOf(parts), summary, summary_by };
  await updateHandoff(trx, orgId, sessionId, { ...handoff, target, ...report });
  const inState = (...states: PartState[]) =>
    parts.filter(({ state }) => states.includes(state)).map(({ part }) => part);
  return { pending: inState('pending', 'running', 'parked'), refused: inState('failed') };
}

/**
 * From now on, the contact's messages are relayed to the conversation, with those since the handoff. They wait until it
 * is open.
 */
async function startConversation(trx: Trx, orgId: string, sessionId: string): Promise<void> {
  await insertConversation(trx, orgId, { sessionId, conversationId: randomUUID() });
  const missed = await addSystemOfAgents(trx, orgId, sessionId);
  const messages = missed.map(({ id }) => ({ session_id: sessionId, message_id: id }));
  if (messages.length > 0) await insertMiawMessages(trx, orgId, messages);
}
