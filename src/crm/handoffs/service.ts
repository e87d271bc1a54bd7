import {
  currentHandoffsOf,
  type Handoff,
  isHandedOff,
  linkTicketingSystem,
  lockHandoff,
  updateHandoff,
} from '../../conversations/handoff/status.service.ts';
import { countRedactions } from '../../conversations/redaction/service.ts';
import { lockSession } from '../../conversations/sessions/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue, signalWithStart, start } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { CrmError, notConnected } from '../../providers/crm/errors.ts';
import type { Crm, HandoffFacts, HandoffPart, PartOutcome } from '../../providers/crm/port.ts';
import { WAKE } from '../../temporal/contract.ts';
import type { CrmClients } from '../connection/clients.ts';
import { HAND_OFF_SESSION, type SessionRef, type SessionRun } from '../contract.ts';
import { handoffFactsOf } from './facts.service.ts';
import { withLease } from './leases.service.ts';
import { linkSession } from './links.shared.queries.ts';
import { type ClaimedPart, claimPart, listParts, type PartChange, updatePart } from './queries.ts';
import { handoffStateOf, systemOf, type TicketingTarget } from './rules.ts';
import type { PartState } from './table.ts';
import { scheduleCloseIfResolved } from './ticket-closing.service.ts';

export { type HoldCondition, listParkedHandoffs } from './unfinished.queries.ts';

export interface HandoffDeps {
  crms: CrmClients;
  /** The base URL of links to sessions for agents. */
  dashboardUrl: string;
}

const LEFT_OUT = 'The answer is left out, as a text of the session was redacted meanwhile';
/** The delay until a part that another attempt owns is tried again. */
const LEASED_RETRY_MS = 1_000;

const subjectOf = (sessionId: string) => ({ subjectId: sessionId, summary: 'Hand off a session' });

/**
 * Starts the handoffs of sessions to the org's ticketing system. Skips those that are done (in an external system,
 * without such a system, or retried before), and those whose session was returned to the AI.
 */
export const startHandoffs: Reaction<'ticket-handoff'> = async (trx, orgId, events) => {
  const wanted = events.filter(({ payload }) => !payload.isExternal);
  const current = await currentHandoffsOf(
    trx,
    orgId,
    wanted.map(({ subject_id }) => subject_id),
  );
  const runs = wanted.flatMap(({ subject_id: sessionId, payload }): SessionRun[] => {
    const handoff = current.get(sessionId);
    if (handoff === undefined || handoff.state === 'done' || handoff.n !== (payload.n ?? handoff.n)) return [];
    return [{ orgId, sessionId, n: handoff.n }];
  });
  await enqueue(trx, orgId, ...runs.map((run) => start(HAND_OFF_SESSION, run, subjectOf(run.sessionId))));
};

/** Returns the command to continue a waiting handoff now, or to run an ended one again. */
export const wakeHandoff = (run: SessionRun) => signalWithStart(HAND_OFF_SESSION, run, WAKE, subjectOf(run.sessionId));

/** The system of a handoff, connected. */
export interface ConnectedSystem {
  crm: Crm;
  isTicketing: boolean;
}

/** Returns the connection to a system. Throws a transient CrmError if it is not connected. */
export async function connectionTo(
  { crms }: HandoffDeps,
  orgId: string,
  system: TicketingTarget,
): Promise<ConnectedSystem> {
  if (system === 'miaw') {
    const crm = await crms.salesforce(orgId);
    if (crm !== undefined) return { crm, isTicketing: true };
  } else {
    const hubspot = await crms.hubspot(orgId);
    if (hubspot !== undefined)
      return { crm: hubspot.client, isTicketing: hubspot.settings.ticketing_enabled !== false };
  }
  throw notConnected(`The handoff_target ${system}`);
}

/** Creates a part of a handoff like createPart. Nothing is left to do if its session no longer has the handoff. */
export async function createHandoffPart(
  db: Db,
  deps: HandoffDeps,
  run: SessionRun & { part: HandoffPart },
): Promise<'done' | 'skipped' | 'failed'> {
  return (await isHandedOff(db, run.orgId, run.sessionId, run.n)) ? createPart(db, deps, run) : 'done';
}

/**
 * Creates a part of a handoff once, with extra properties beside those of the session, and returns its resulting state.
 * Throws the CRM's error if another attempt may succeed. The next attempt first looks for results of this one.
 */
export async function createPart(
  db: Db,
  deps: HandoffDeps,
  { orgId, sessionId, part, n = 1 }: SessionRef & { part: HandoffPart; n?: number },
  properties: Record<string, string> = {},
): Promise<'done' | 'skipped' | 'failed'> {
  const { crm } = await connectionTo(deps, orgId, systemOf(part));
  const claimed = await claim(db, orgId, sessionId, part);
  if (claimed === undefined) return 'done';
  return withLease(db, orgId, { sessionId, part, attempt: claimed.attempts }, async () => {
    const redactions = await countRedactions(db, orgId, sessionId);
    const facts = await handoffFactsOf(db, deps.dashboardUrl, { orgId, sessionId, n });
    facts.properties = { ...facts.properties, ...properties };
    return attemptPart(db, crm, { orgId, part, facts, claimed, redactions });
  });
}

/** Claims a part. Returns undefined if it has ended. Throws a transient error while another attempt is under way. */
function claim(db: Db, orgId: string, sessionId: string, part: HandoffPart): Promise<ClaimedPart | undefined> {
  return updateAndReportParts(db, orgId, sessionId, async (trx) => {
    const claimed = await claimPart(trx, orgId, sessionId, part);
    if (claimed === undefined || 'attempts' in claimed) return claimed;
    throw new CrmError(`Another attempt to create the ${part} is in progress`, {
      transient: true,
      isOwnLimit: true,
      retryAfterMs: Math.min(claimed.leasedMs, LEASED_RETRY_MS),
    });
  });
}

async function attemptPart(
  db: Db,
  crm: Crm,
  {
    orgId,
    part,
    facts,
    claimed,
    redactions,
  }: { orgId: string; part: HandoffPart; facts: HandoffFacts; claimed: ClaimedPart; redactions: number },
): Promise<'done' | 'skipped' | 'failed'> {
  const { sessionId } = facts;
  try {
    const { may_exist: mayExist, first_tried_at: since, last_tried_at, has_new_contact: hasNewContact } = claimed;
    const attempt = { mayExist, since, latest: last_tried_at ?? since, hasNewContact };
    const outcome = await crm.doPart(part, facts, attempt);
    await updateAndReportParts(db, orgId, sessionId, (trx) =>
      recordOutcome(trx, orgId, sessionId, { part, provider: crm.provider, outcome, attempt: claimed.attempts }),
    );
    return outcome.state;
  } catch (error) {
    if (!(error instanceof CrmError)) throw error;
    const isOver = !error.transient;
    const failed = {
      part,
      state: isOver ? ('failed' as const) : ('running' as const),
      error: error.message,
      is_ambiguous: claimed.may_exist || error.mayHaveArrived, // also if the search for an earlier result was refused
    };
    await updateAndReportParts(db, orgId, sessionId, async (trx) => {
      const held = { attempt: claimed.attempts, from: ['running'] satisfies PartState[] };
      if (!(await updatePart(trx, orgId, sessionId, failed, held))) return;
      await lockSession(trx, orgId, sessionId); // the refusal may quote a text that was redacted meanwhile
      if ((await countRedactions(trx, orgId, sessionId)) > redactions)
        await updatePart(trx, orgId, sessionId, { ...failed, error: `${LEFT_OUT} (${error.status ?? 'no status'})` });
    });
    if (isOver) return 'failed';
    throw error;
  }
}

const UNFINISHED: PartState[] = ['pending', 'running', 'parked'];

/** Parks an unfinished part until its next attempt, or fails it if it is given up. */
export function parkPart(
  db: Db,
  { orgId, sessionId, part }: SessionRef & { part: HandoffPart },
  { isGivenUp, nextTryAt }: { isGivenUp: boolean; nextTryAt: Date },
): Promise<void> {
  const change: PartChange = isGivenUp ? { state: 'failed' } : { state: 'parked', next_try_at: nextTryAt };
  return updateAndReportParts(db, orgId, sessionId, async (trx) => {
    await updatePart(trx, orgId, sessionId, { part, ...change }, { from: UNFINISHED });
  });
}

/** Changes parts, and reports their new state on the session. */
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

/** Shows the parts of a handoff that has begun. What a workflow has made in another system is no part of it. */
async function reportParts(trx: Trx, orgId: string, sessionId: string): Promise<void> {
  const handoff = await lockHandoff(trx, orgId, sessionId);
  const target = handoff?.target;
  if (handoff === undefined || target === undefined) return;
  await updateHandoff(trx, orgId, sessionId, {
    ...handoff,
    ...progressOf(await listPartsIn(trx, orgId, sessionId, target)),
  });
}

type StoredPart = Awaited<ReturnType<typeof listParts>>[number];

/** Returns the parts of a session in one of the systems. */
export const listPartsIn = async (
  db: Db,
  orgId: string,
  sessionId: string,
  system: TicketingTarget,
): Promise<StoredPart[]> => (await listParts(db, orgId, sessionId)).filter(({ part }) => systemOf(part) === system);

/** Returns the progress of a handoff as it is shown. */
export function progressOf(parts: StoredPart[]): Required<Pick<Handoff, 'state' | 'parts'>> {
  const shown = parts.map(({ next_try_at, updated_at: _, ...part }) => ({
    ...part,
    next_try_at: next_try_at?.toISOString() ?? null,
  }));
  return { state: handoffStateOf(parts), parts: shown };
}

/** Records what came of an attempt, unless a later one has begun or the part has ended otherwise. */
async function recordOutcome(
  trx: Trx,
  orgId: string,
  sessionId: string,
  {
    part,
    provider,
    outcome,
    attempt,
  }: { part: HandoffPart; provider: Crm['provider']; outcome: PartOutcome; attempt: number },
): Promise<void> {
  const held = { attempt, from: ['running', 'parked', 'failed'] satisfies PartState[] };
  if (outcome.state === 'skipped') {
    const skipped = { part, state: 'skipped' as const, error: outcome.reason, is_ambiguous: false };
    await updatePart(trx, orgId, sessionId, skipped, held);
    return;
  }
  const { externalId } = outcome;
  const done = { part, state: 'done' as const, external_id: externalId, error: null, is_ambiguous: false };
  if (await updatePart(trx, orgId, sessionId, done, held))
    await linkPart(trx, orgId, sessionId, { part, provider, externalId });
}

/** Links a part to its object in the CRM. The ticket of a session resolved meanwhile is closed. */
export async function linkPart(
  trx: Trx,
  orgId: string,
  sessionId: string,
  { part, provider, externalId }: { part: string; provider: string; externalId: string },
): Promise<void> {
  if (part === 'contact') await linkSession(trx, orgId, sessionId, { contactId: externalId });
  if (part === 'ticket') {
    await linkSession(trx, orgId, sessionId, { ticketId: externalId });
    await scheduleCloseIfResolved(trx, orgId, sessionId); // before the session's lock
    await linkTicketingSystem(trx, orgId, sessionId, { name: provider, external_id: externalId, id_type: 'ticket_id' });
  }
  if (part === 'conversation')
    await linkTicketingSystem(trx, orgId, sessionId, {
      name: provider,
      external_id: externalId,
      id_type: 'conversation_id',
    });
}
