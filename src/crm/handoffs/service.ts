import { randomUUID } from 'node:crypto';
import {
  getHandoffBriefing,
  linkTicketingSystem,
  updateHandoffStatus,
} from '../../conversations/handoff/status.service.ts';
import { addRelayedSide } from '../../conversations/messages/relay.service.ts';
import { lockSession } from '../../conversations/sessions/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { readSettings } from '../../orgs/service.ts';
import { enqueue, signalWithStart, start } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/relay.ts';
import { CrmError, notConnected } from '../../providers/crm/errors.ts';
import type { Crm, HandoffPart, PartOutcome } from '../../providers/crm/port.ts';
import { WAKE } from '../../temporal/contract.ts';
import type { CrmClients } from '../connection/clients.ts';
import { HAND_OFF_SESSION, type SessionRef } from '../contract.ts';
import { linkSession } from '../links.queries.ts';
import { insertConversation } from '../salesforce/conversation-store.service.ts';
import { handoffFactsOf } from './facts.service.ts';
import { claimPart, insertParts, listParts, type PartChange, updatePart } from './queries.ts';
import { handoffStateOf } from './rules.ts';
import type { PartState } from './table.ts';
import { scheduleCloseIfResolved } from './ticket-closing.service.ts';

export { listParkedHandoffs } from './queries.ts';

export interface HandoffDeps {
  crms: CrmClients;
  /** Where people see sessions. */
  dashboardUrl: string;
}

const subjectOf = (sessionId: string) => ({ subjectId: sessionId, summary: 'Hand off a session' });

/** Starts what brings sessions to where the org's people work. Whoever has a session already needs nothing. */
export const startHandoffs: Reaction<'ticket-handoff'> = async (trx, orgId, events) => {
  const { handoff_target } = await readSettings(trx, orgId);
  if (handoff_target === null || handoff_target === 'none') return;
  const wanted = events.filter(({ payload }) => !payload.isExternal);
  await enqueue(
    trx,
    orgId,
    ...wanted.map(({ subject_id: sessionId }) =>
      start(HAND_OFF_SESSION, { orgId, sessionId, n: 1 }, subjectOf(sessionId)),
    ),
  );
};

/** Has a handoff that waits go on now, or one that ended be run again. */
export const wakeHandoff = (orgId: string, sessionId: string) =>
  signalWithStart(HAND_OFF_SESSION, { orgId, sessionId, n: 1 }, WAKE, subjectOf(sessionId));

/**
 * Where a handoff goes: where the org's go now, or where the parts are that it has already. Throws a CrmError that waiting may help where that is
 * not connected.
 */
async function targetOf(
  db: Db,
  { crms }: HandoffDeps,
  orgId: string,
  begun: string[],
): Promise<{ crm: Crm; isTicketing: boolean }> {
  const target = begun.length === 0 ? (await readSettings(db, orgId)).handoff_target : systemOf(begun);
  if (target === 'miaw') {
    const crm = await crms.salesforce(orgId);
    if (crm !== undefined) return { crm, isTicketing: true };
  }
  if (target === 'crm') {
    const hubspot = await crms.hubspot(orgId);
    if (hubspot !== undefined)
      return { crm: hubspot.client, isTicketing: hubspot.settings.ticketing_enabled !== false };
  }
  throw notConnected(`The handoff_target ${target}`);
}

const systemOf = (parts: string[]) => (parts.includes('conversation') ? 'miaw' : 'crm');

export interface HandoffPlan {
  pending: HandoffPart[];
  refused: HandoffPart[];
}

/** Writes down what a handoff consists of, and gives what of it is still to be done or was refused. Planned again, it is the same. */
export async function planHandoff(db: Db, deps: HandoffDeps, { orgId, sessionId }: SessionRef): Promise<HandoffPlan> {
  const begun = (await listParts(db, orgId, sessionId)).map(({ part }) => part);
  const { crm, isTicketing } = await targetOf(db, deps, orgId, begun);
  return inTransaction(db, async (trx) => {
    const planned = crm.parts.map(({ name }) =>
      isTicketing || name === 'comment'
        ? { part: name, state: 'pending' as const, error: null }
        : { part: name, state: 'skipped' as const, error: 'ticketing is disabled' },
    );
    await insertParts(trx, orgId, sessionId, planned);
    if (crm.provider === 'salesforce') await startConversation(trx, orgId, sessionId);
    await lockSession(trx, orgId, sessionId); // nothing that is redacted comes back
    const { summary } = await getHandoffBriefing(trx, orgId, sessionId);
    const parts = await reportParts(trx, orgId, sessionId, { summary });
    const inState = (...states: PartState[]) =>
      parts.filter(({ state }) => states.includes(state)).map(({ part }) => part as HandoffPart);
    return { pending: inState('pending', 'running', 'parked'), refused: inState('failed') };
  });
}

/** What the contact says from now on waits until the conversation is open, and goes there. */
async function startConversation(trx: Trx, orgId: string, sessionId: string): Promise<void> {
  await insertConversation(trx, orgId, { sessionId, conversationId: randomUUID() });
  await addRelayedSide(trx, orgId, sessionId, 'agents');
}

/**
 * Does a part, once, with properties besides those of the session. Gives how it stands then. Throws the CRM's error where another try may help; what a try may have left is looked for by the
 * next one.
 */
export async function createPart(
  db: Db,
  deps: HandoffDeps,
  { orgId, sessionId, part }: SessionRef & { part: HandoffPart },
  properties: Record<string, string> = {},
): Promise<'done' | 'skipped' | 'failed'> {
  const { crm } = await targetOf(db, deps, orgId, [part]);
  const claimed = await updateAndReportParts(db, orgId, sessionId, (trx) => claimPart(trx, orgId, sessionId, part));
  if (claimed === undefined) return 'done';
  const facts = await handoffFactsOf(db, deps.dashboardUrl, orgId, sessionId);
  facts.properties = { ...facts.properties, ...properties };
  try {
    const { may_exist: mayExist, first_tried_at: since, last_tried_at } = claimed;
    const outcome = await crm.doPart(part, facts, { mayExist, since, latest: last_tried_at ?? since });
    await updateAndReportParts(db, orgId, sessionId, (trx) =>
      recordOutcome(trx, orgId, sessionId, part, crm.provider, outcome),
    );
    return outcome.state;
  } catch (error) {
    if (!(error instanceof CrmError)) throw error;
    const isOver = !error.transient;
    await updateAndReportParts(db, orgId, sessionId, (trx) =>
      updatePart(trx, orgId, sessionId, part, {
        state: isOver ? 'failed' : 'running',
        error: error.message,
        is_ambiguous: !isOver && (claimed.may_exist || error.mayHaveArrived),
      }),
    );
    if (isOver) return 'failed';
    throw error;
  }
}

/** Puts a part off, or gives it up where a handoff is whole without it. */
export function parkPart(
  db: Db,
  { orgId, sessionId, part }: SessionRef & { part: HandoffPart },
  { isGivenUp, nextTryAt }: { isGivenUp: boolean; nextTryAt: Date },
): Promise<void> {
  const change: PartChange = isGivenUp ? { state: 'failed' } : { state: 'parked', next_try_at: nextTryAt };
  return updateAndReportParts(db, orgId, sessionId, (trx) => updatePart(trx, orgId, sessionId, part, change));
}

/** Changes parts, and shows on the session how they stand now. */
export function updateAndReportParts<T>(
  db: Db,
  orgId: string,
  sessionId: string,
  change: (trx: Trx) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (trx) => {
    const result = await change(trx);
    await reportParts(trx, orgId, sessionId);
    return result;
  });
}

async function reportParts(trx: Trx, orgId: string, sessionId: string, more: { summary?: string } = {}) {
  const parts = await listParts(trx, orgId, sessionId);
  if (parts.length === 0) return parts;
  const shown = parts.map(({ next_try_at, ...part }) => ({ ...part, next_try_at: next_try_at?.toISOString() ?? null }));
  await updateHandoffStatus(trx, orgId, sessionId, { ...more, state: handoffStateOf(parts), parts: shown });
  return parts;
}

async function recordOutcome(
  trx: Trx,
  orgId: string,
  sessionId: string,
  part: HandoffPart,
  provider: Crm['provider'],
  outcome: PartOutcome,
): Promise<void> {
  if (outcome.state === 'skipped') {
    await updatePart(trx, orgId, sessionId, part, { state: 'skipped', error: outcome.reason, is_ambiguous: false });
    return;
  }
  const { externalId } = outcome;
  await updatePart(trx, orgId, sessionId, part, {
    state: 'done',
    external_id: externalId,
    error: null,
    is_ambiguous: false,
  });
  await linkPart(trx, orgId, sessionId, { part, provider, externalId });
}

/** Takes note of what a part has in the CRM. A ticket of a session that is resolved by now is closed. */
export async function linkPart(
  trx: Trx,
  orgId: string,
  sessionId: string,
  { part, provider, externalId }: { part: string; provider: string; externalId: string },
): Promise<void> {
  if (part === 'contact') await linkSession(trx, orgId, sessionId, { contactId: externalId });
  if (part === 'ticket') {
    await linkSession(trx, orgId, sessionId, { ticketId: externalId });
    await linkTicketingSystem(trx, orgId, sessionId, { name: provider, external_id: externalId, id_type: 'ticket' });
    await scheduleCloseIfResolved(trx, orgId, sessionId);
  }
  if (part === 'conversation')
    await linkTicketingSystem(trx, orgId, sessionId, {
      name: provider,
      external_id: externalId,
      id_type: 'conversation',
    });
}
