import { type Insertable, sql, type Updateable } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { type CallState, ONCE_STATES } from './states.rules.ts';
import type { AiCallsTable } from './table.ts';

/** A process renews its lease while it calls an action. Another one takes the call over after this time. */
const LEASE = sql`interval '6 seconds'`;
const MAX_RECEIPTS = 100;

type NewCall = Pick<
  Insertable<AiCallsTable>,
  | 'org_id'
  | 'id'
  | 'session_id'
  | 'turn_id'
  | 'epoch'
  | 'contact_id'
  | 'action_id'
  | 'workflow_id'
  | 'operation_id'
  | 'name'
  | 'arguments'
  | 'fingerprint'
  | 'state'
  | 'needs'
  | 'needs_because'
> & { lastsMs: number | null };

const isOnce = sql.raw(`state in (${ONCE_STATES.map((state) => `'${state}'`).join(', ')})`);

/** Inserts a call. Returns undefined if the same call exists in a state that forbids a repeat. */
export async function insertCall(trx: Trx, { lastsMs, ...call }: NewCall) {
  return trx
    .insertInto('ai_calls')
    .values({ ...call, expires_at: lastsMs === null ? null : inMs(lastsMs) })
    .onConflict((oc) =>
      oc.columns(['org_id', 'session_id', 'epoch', 'fingerprint']).where(sql<boolean>`${isOnce}`).doNothing(),
    )
    .returningAll()
    .executeTakeFirst();
}

const inMs = (ms: number) => sql<Date>`now() + ${ms} * interval '1 millisecond'`;

export interface CallKey {
  orgId: string;
  sessionId: string;
  epoch: number;
  fingerprint: string;
}

const sameCalls = (db: Db, { orgId, sessionId, epoch, fingerprint }: CallKey) =>
  db
    .selectFrom('ai_calls')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('epoch', '=', epoch)
    .where('fingerprint', '=', fingerprint);

/** Finds the same call in a state that forbids a repeat. */
export const findSameCall = (db: Db, key: CallKey) =>
  sameCalls(db, key).selectAll().where('state', 'in', ONCE_STATES).executeTakeFirst();

/** Returns which of the ids of one contact the first of its calls in a conversation has. */
export async function findFirstContact(
  db: Db,
  { orgId, sessionId, epoch }: Omit<CallKey, 'fingerprint'>,
  ids: string[],
): Promise<string | null | undefined> {
  const call = await db
    .selectFrom('ai_calls')
    .select('contact_id')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('epoch', '=', epoch)
    .where('contact_id', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  return call?.contact_id;
}

/** Returns whether the same call was rejected before. */
export const wasRejected = async (db: Db, key: CallKey): Promise<boolean> =>
  (await sameCalls(db, key).select('id').where('state', '=', 'rejected').limit(1).executeTakeFirst()) !== undefined;

/** Finds a call, with whether another process is calling the action now. */
export const lockCall = (trx: Trx, orgId: string, id: string) =>
  trx
    .selectFrom('ai_calls')
    .selectAll()
    .select(sql<boolean>`coalesce(leased_until > clock_timestamp(), false)`.as('is_leased'))
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

export const findCall = (db: Db, orgId: string, id: string) =>
  db.selectFrom('ai_calls').selectAll().where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst();

/** Returns whether no try of a call was begun, and one may follow. */
export const isUnbegun = async (db: Db, orgId: string, id: string): Promise<boolean> =>
  (await db
    .selectFrom('ai_calls')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('started_at', 'is', null)
    .where('ended_at', 'is', null)
    .executeTakeFirst()) !== undefined;

/** Lists calls by their ids. */
export const listCallsById = async (db: Db, orgId: string, ids: string[]): Promise<CallRow[]> =>
  ids.length === 0
    ? []
    : db
        .selectFrom('ai_calls')
        .selectAll()
        .where('org_id', '=', orgId)
        .where('id', '=', sql<string>`any(${ids}::uuid[])`)
        .execute();

export type CallRow = NonNullable<Awaited<ReturnType<typeof findCall>>>;

/** Begins the next try of a locked call, and records the effect on the session's turn. */
export async function startTry(
  trx: Trx,
  { org_id, id, session_id }: CallRow,
  { isRead, isRepeatable }: { isRead: boolean; isRepeatable: boolean },
): Promise<CallRow> {
  if (!isRead)
    await trx
      .updateTable('ai_turns')
      .set({ has_effects: true })
      .where('org_id', '=', org_id)
      .where('session_id', '=', session_id)
      .where('ended_at', 'is', null)
      .execute();
  return trx
    .updateTable('ai_calls')
    .set({
      state: 'running',
      is_repeatable: isRepeatable,
      tries: sql<number>`tries + 1`,
      leased_until: sql<Date>`clock_timestamp() + ${LEASE}`,
      started_at: sql<Date>`coalesce(started_at, clock_timestamp())`,
    })
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The running try of a call: nobody has taken it over. */
const ownTry = (db: Db, { org_id, id, tries }: Pick<CallRow, 'org_id' | 'id' | 'tries'>) =>
  db
    .updateTable('ai_calls')
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where('tries', '=', tries);

export async function renewLease(db: Db, call: Pick<CallRow, 'org_id' | 'id' | 'tries'>): Promise<void> {
  await ownTry(db, call)
    .set({ leased_until: sql<Date>`clock_timestamp() + ${LEASE}` })
    .execute();
}

/** Gives a try up, for the next one to begin. */
export async function releaseLease(db: Db, call: Pick<CallRow, 'org_id' | 'id' | 'tries'>): Promise<void> {
  await ownTry(db, call).set({ leased_until: null }).execute();
}

export interface Outcome {
  state: 'done' | 'failed' | 'unknown';
  status: number | null;
  /** As JSON. */
  response: string | null;
  reason: string | null;
}

/** Stores the outcome of a try, unless another process has taken the call over. A redacted call keeps no texts. */
export async function storeOutcome(
  db: Db,
  call: Pick<CallRow, 'org_id' | 'id' | 'tries'>,
  { state, status, response, reason }: Outcome,
): Promise<void> {
  await ownTry(db, call)
    .set({
      state,
      status,
      reason: sql<string | null>`case when redacted_at is null then ${reason}::text end`,
      response: sql<string | null>`case when redacted_at is null then ${response}::jsonb end`,
      leased_until: null,
      ended_at: sql<Date>`clock_timestamp()`,
    })
    .execute();
}

type CallChange = Pick<
  Updateable<AiCallsTable>,
  'state' | 'reason' | 'settled_key_id' | 'expires_at' | 'reported_at' | 'ended_at'
>;

/** Changes a locked call. */
export const updateCall = (trx: Trx, { org_id, id }: Pick<CallRow, 'org_id' | 'id'>, change: CallChange) =>
  trx
    .updateTable('ai_calls')
    .set(change)
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Lists the last calls of a conversation, oldest first. */
export async function listCallsOfSession(db: Db, orgId: string, sessionId: string, epoch: number): Promise<CallRow[]> {
  const latest = await db
    .selectFrom('ai_calls')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('epoch', '=', epoch)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_RECEIPTS)
    .execute();
  return latest.reverse();
}

/** SQL: whether people have decided about a call, or it has ended after its turn, and its contact was not told yet. */
const isUnreported = sql<boolean>`(reported_at is null and (
  state = 'confirmed'
  or (decided_at is not null and (state in ('rejected', 'done', 'failed', 'unknown') or (state = 'running' and deferred_at is null)))
  or (settled_key_id is not null and state in ('done', 'failed'))
  or (deferred_at is not null and state in ('done', 'failed', 'unknown'))
))`;

/** SQL: whether `listUnreported` has any calls. For a statement with more to read at once. */
export const hasUnreported = (orgId: string, sessionId: string) =>
  sql<boolean>`exists (select from ai_calls where org_id = ${orgId} and session_id = ${sessionId} and ${isUnreported})`;

/** Lists the calls of a session decided by people, without those already reported to the contact. Oldest first. */
export const listUnreported = (db: Db, orgId: string, sessionId: string) =>
  db
    .selectFrom('ai_calls')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where(isUnreported)
    .orderBy('created_at')
    .orderBy('id')
    .limit(MAX_RECEIPTS)
    .execute();

/** A call as a message of the AI tells of it. */
export type ToldCall = Pick<CallRow, 'id' | 'operation_id' | 'state'>;

/** Lists the calls of a turn, and those with these ids. Oldest first. */
export const listToldCalls = (db: Db, orgId: string, turnId: string, ids: string[]): Promise<ToldCall[]> =>
  db
    .selectFrom('ai_calls')
    .select(['id', 'operation_id', 'state'])
    .where('org_id', '=', orgId)
    .where((eb) => eb.or([eb('turn_id', '=', turnId), eb('id', '=', sql<string>`any(${ids}::uuid[])`)]))
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** Lists the begun calls of a turn: their requests may have arrived. Oldest first. */
export const listBegunCalls = (db: Db, orgId: string, turnId: string) =>
  db
    .selectFrom('ai_calls')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('turn_id', '=', turnId)
    .where('started_at', 'is not', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** SQL: somebody makes a call just now, or its workflow runs. A call with a killed worker is settled by nobody else. */
const isUnderWay = sql<boolean>`(state = 'running' and (workflow_id is not null or leased_until > clock_timestamp()))`;

/**
 * Finds the reports still owed to a session's contact: whether a call runs or its end is unreported, and the
 * milliseconds left for an agent to confirm one. Null if there is none for an agent.
 */
export const findPromises = (db: Db, orgId: string, sessionId: string) =>
  db
    .selectFrom('ai_calls')
    .select([
      sql<boolean>`coalesce(bool_or(${isUnderWay} or ${isUnreported}), false)`.as('is_under_way'),
      sql<number | null>`
        max(extract(epoch from expires_at - clock_timestamp()) * 1000)
          filter (where state = 'needs_confirmation' and needs = 'agent')::float8
      `.as('agent_ms'),
    ])
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .executeTakeFirstOrThrow();

/**
 * Records the end of a turn's wait for a workflow's run, once the run has this age. Returns undefined before then, and
 * if the run has ended.
 */
export const deferCall = (db: Db, orgId: string, id: string, afterMs: number): Promise<CallRow | undefined> =>
  db
    .updateTable('ai_calls')
    .set({ deferred_at: sql<Date>`coalesce(deferred_at, clock_timestamp())` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where(sql<boolean>`started_at < clock_timestamp() - ${afterMs} * interval '1 millisecond'`)
    .returningAll()
    .executeTakeFirst();

/** The outcome of a workflow's run for its call. */
export interface RunOutcome {
  state: 'done' | 'failed' | 'unknown';
  response: unknown;
  reason: string | null;
}

/**
 * Stores how the run of a call has ended, also if it was retried after an earlier end. A redacted call keeps no texts.
 * Returns the call's session if a turn no longer waits for it.
 */
export async function storeRunOutcome(
  trx: Trx,
  orgId: string,
  id: string,
  { state, response, reason }: RunOutcome,
): Promise<string | undefined> {
  const { rows } = await sql<{ session_id: string; deferred_at: Date | null }>`
    update ai_calls set state = ${state}, reason = case when redacted_at is null then ${reason}::text end,
      response = case when redacted_at is null then ${JSON.stringify(response ?? null)}::jsonb end,
      deferred_at = case when state = 'unknown' then coalesce(deferred_at, clock_timestamp()) else deferred_at end,
      reported_at = case when deferred_at is not null or state = 'unknown' then null else reported_at end,
      ended_at = clock_timestamp()
    where org_id = ${orgId} and id = ${id} and workflow_id is not null and state in ('running', 'unknown') and settled_key_id is null
    returning session_id, deferred_at
  `.execute(trx);
  return rows.find(({ deferred_at }) => deferred_at !== null)?.session_id;
}

/** Lists the calls of a workflow with runs that have not ended. */
export async function listRunningCalls(trx: Trx, orgId: string, workflowId: string): Promise<string[]> {
  const running = await trx
    .selectFrom('ai_calls')
    .select('id')
    .where('org_id', '=', orgId)
    .where('workflow_id', '=', workflowId)
    .where('state', '=', 'running')
    .execute();
  return running.map(({ id }) => id);
}

/** Records the report of these calls to the contact. */
export async function markReported(trx: Trx, orgId: string, ids: string[]): Promise<void> {
  await trx
    .updateTable('ai_calls')
    .set({ reported_at: sql<Date>`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
}

export interface CallFilter {
  state?: CallState | undefined;
  sessionId?: string | undefined;
}

/** Lists calls of an org, oldest first: the rows of a page, plus one more if there is one. */
export const listCalls = (db: Db, orgId: string, { state, sessionId }: CallFilter, page: PageRequest) =>
  db
    .selectFrom('ai_calls')
    .selectAll()
    .where('org_id', '=', orgId)
    .$call((query) => (state === undefined ? query : query.where('state', '=', state)))
    .$call((query) => (sessionId === undefined ? query : query.where('session_id', '=', sessionId)))
    .$call(orderedByCreation(page))
    .execute();

/** Finds the last message answered by the turn of a call, and the call's session. */
export const findAnsweredMessage = (db: Db, orgId: string, turnId: string) =>
  db
    .selectFrom('ai_turns')
    .select(sql<string | null>`answers[cardinality(answers)]`.as('message_id'))
    .where('org_id', '=', orgId)
    .where('id', '=', turnId)
    .executeTakeFirst();

/** Ends the unsent calls of sessions. The links to confirm them say so from then on. */
export async function expireOpenCalls(trx: Trx, orgId: string, sessionIds: string[], reason: string): Promise<void> {
  await trx
    .updateTable('ai_calls')
    .set(expiredFor(reason))
    .where('org_id', '=', orgId)
    .where('session_id', '=', sql<string>`any(${sessionIds}::uuid[])`)
    .where('state', 'in', ['proposed', 'needs_confirmation', 'confirmed'])
    .execute();
}

/**
 * Settles calls of phone calls if their process was killed more than a minute ago, or gave the call up and began it
 * more than three minutes ago: nobody takes them over. Their outcome is unknown. Returns their number.
 */
export async function settleInterrupted(db: Db, { reason, limit }: { reason: string; limit: number }): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update ai_calls set state = 'unknown', reason = ${reason}, leased_until = null, ended_at = clock_timestamp()
    where (org_id, id) in (
      select call.org_id, call.id from ai_calls as call
      join ai_turns as turn on turn.org_id = call.org_id and turn.id = call.turn_id
      where call.state = 'running' and call.workflow_id is null and turn.reason = 'phone_call'
        and coalesce(call.leased_until, call.started_at) < clock_timestamp() - interval '1 minute'
        and (call.leased_until is not null or call.started_at < clock_timestamp() - interval '3 minutes')
      order by coalesce(call.leased_until, call.started_at) limit ${limit} for update of call skip locked
    )
  `.execute(db);
  return Number(numAffectedRows);
}

/** Ends the calls of a session that are due to be sent. Those waiting for a confirmation continue to wait. */
export async function expireUnsentCalls(trx: Trx, orgId: string, sessionId: string, reason: string): Promise<void> {
  await trx
    .updateTable('ai_calls')
    .set(expiredFor(reason))
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('state', 'in', ['proposed', 'confirmed'])
    .execute();
}

const expiredFor = (reason: string) => ({
  state: 'expired' as const,
  reason,
  ended_at: sql<Date>`clock_timestamp()`,
});

/**
 * Removes the arguments and answers of a session's calls: of all, or from the turn that answered a message. Unsent
 * calls end.
 */
export async function redactCalls(trx: Trx, orgId: string, sessionId: string, messageId: string | null): Promise<void> {
  await sql`
    update ai_calls as call set arguments = null, response = null, token_hash = null, redacted_at = now(),
      reason = case when state in ('proposed', 'needs_confirmation', 'confirmed') then 'redacted' end,
      state = case when state in ('proposed', 'needs_confirmation', 'confirmed') then 'expired' else state end,
      ended_at = case when state in ('proposed', 'needs_confirmation', 'confirmed') then clock_timestamp() else ended_at end
    where org_id = ${orgId} and session_id = ${sessionId} and (${messageId}::uuid is null or exists (
      select from ai_turns as turn where turn.org_id = call.org_id and turn.id = call.turn_id and turn.number >= (
        select min(number) from ai_turns where org_id = ${orgId} and session_id = ${sessionId} and ${messageId}::uuid = any(answers))))
  `.execute(trx);
}
