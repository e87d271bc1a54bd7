import { type RawBuilder, sql, type Updateable } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { notifyAfterCommit } from '../../db/transaction.ts';
import type { TurnRef } from './contract.ts';
import { TURNS_CHANNEL, type TurnState } from './states.rules.ts';
import type { AiTurnsTable } from './table.ts';

/** Finds the latest turn of a session. */
export const findLastTurn = (db: Db, orgId: string, sessionId: string) =>
  db
    .selectFrom('ai_turns')
    .select('state')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Inserts the next turn of a session, or a begun or ended one, and returns its number. */
export async function insertTurn(
  trx: Trx,
  turn: Pick<
    AiTurnsTable,
    'org_id' | 'id' | 'session_id' | 'first_seq' | 'last_seq' | 'answers' | 'message_id' | 'config_version' | 'due_at'
  > & {
    supersedes?: number;
    isBegun?: boolean;
    ended?: { state: TurnState; reason: string };
    /** The number of redactions of the session, for a begun turn. */
    redactions?: RawBuilder<number> | undefined;
  },
): Promise<number> {
  const { ended, isBegun = false, supersedes = 0, redactions = sql<number>`0`, ...row } = turn;
  const state = ended?.state ?? (isBegun ? 'running' : 'waiting');
  const timeIf = (isNow: boolean) => sql`${isNow ? sql`clock_timestamp()` : null}::timestamptz`;
  const { rows } = await sql<{ number: number }>`
    insert into ai_turns (org_id, id, session_id, number, state, reason, first_seq, last_seq, answers, message_id, config_version,
      supersedes, due_at, tries, redactions, started_at, ended_at)
    select ${row.org_id}, ${row.id}, ${row.session_id}, coalesce(max(number), 0) + 1, ${state}, ${ended?.reason ?? null},
      ${row.first_seq}, ${row.last_seq}, ${row.answers}::uuid[], ${row.message_id}, ${row.config_version}, ${supersedes}, ${row.due_at},
      ${isBegun ? 1 : 0}::integer, ${redactions}, ${timeIf(isBegun)}, ${timeIf(ended !== undefined)}
    from ai_turns where org_id = ${row.org_id} and session_id = ${row.session_id}
    returning number
  `.execute(trx);
  return rows[0]?.number ?? 1;
}

export type TurnChange = Partial<
  Pick<
    Updateable<AiTurnsTable>,
    | 'state'
    | 'reason'
    | 'agent'
    | 'last_seq'
    | 'answers'
    | 'due_at'
    | 'score'
    | 'config_version'
    | 'has_message'
    | 'has_effects'
  >
>;

/** Updates an open turn. */
export const openTurn = (trx: Trx, orgId: string, id: string) =>
  trx.updateTable('ai_turns').where('org_id', '=', orgId).where('id', '=', id).where('ended_at', 'is', null);

/** Changes an open turn. */
export async function updateTurn(trx: Trx, orgId: string, id: string, change: TurnChange): Promise<void> {
  await openTurn(trx, orgId, id).set(change).execute();
}

/**
 * Begins an open turn. Returns the number of its beginnings beyond its steps: each step begins it again. Returns
 * undefined if it has ended.
 */
export async function startTurn(
  trx: Trx,
  { orgId, turnId }: TurnRef,
  { version, redactions }: { version: number; redactions: RawBuilder<number> },
): Promise<number | undefined> {
  const begun = await openTurn(trx, orgId, turnId)
    .set({
      state: 'running',
      config_version: version,
      tries: sql<number>`tries + 1`,
      redactions: sql<number>`case when started_at is null then ${redactions} else redactions end`,
      started_at: sql<Date>`coalesce(started_at, clock_timestamp())`,
    })
    .returning((eb) => [
      'tries',
      eb
        .selectFrom('ai_steps')
        .select((steps) => steps.fn.countAll<number>().as('taken'))
        .where('org_id', '=', orgId)
        .where('turn_id', '=', turnId)
        .as('taken'),
    ])
    .executeTakeFirst();
  return begun && begun.tries - Number(begun.taken);
}

/** Counts a failure of an open turn, and returns their number. */
export async function countFailure(db: Db, { orgId, turnId }: TurnRef): Promise<number> {
  const turn = await db
    .updateTable('ai_turns')
    .set({ failures: sql<number>`failures + 1` })
    .where('org_id', '=', orgId)
    .where('id', '=', turnId)
    .where('ended_at', 'is', null)
    .returning('failures')
    .executeTakeFirst();
  return turn?.failures ?? 0;
}

/** Returns whether a text of the session was removed since a turn was begun. */
export async function isTurnRedacted(
  trx: Trx,
  { orgId, turnId }: TurnRef,
  redactions: RawBuilder<number>,
): Promise<boolean> {
  const turn = await trx
    .selectFrom('ai_turns')
    .select(sql<boolean>`redactions < ${redactions}`.as('is_redacted'))
    .where('org_id', '=', orgId)
    .where('id', '=', turnId)
    .executeTakeFirst();
  return turn?.is_redacted === true;
}

/** Records a turn's change elsewhere, or its intention to make one. */
export const markEffects = (trx: Trx, orgId: string, id: string): Promise<void> =>
  updateTurn(trx, orgId, id, { has_effects: true });

/** Notes whether a turn's message has helped. */
export async function updateHelpfulness(trx: Trx, orgId: string, messageId: string, isHelpful: boolean): Promise<void> {
  await trx
    .updateTable('ai_turns')
    .set({ is_helpful: isHelpful })
    .where('org_id', '=', orgId)
    .where('message_id', '=', messageId)
    .execute();
}

/** Notifies the waiters for the end of a session's turn, once the transaction has committed. */
export const notifyTurn = (trx: Trx, sessionId: string): void => notifyAfterCommit(trx, TURNS_CHANNEL, sessionId);

/** Lists the decisions of a turn's steps. */
export const listDecisions = (db: Db, orgId: string, turnId: string) =>
  db
    .selectFrom('ai_steps')
    .select(['step', 'decision'])
    .where('org_id', '=', orgId)
    .where('turn_id', '=', turnId)
    .where('decision', 'is not', null)
    .execute();

/** Removes the decisions of the steps of sessions' turns: they contain the customers' words. */
export async function deleteDecisions(db: Db, orgId: string, sessionIds: string[]): Promise<void> {
  await db
    .updateTable('ai_steps')
    .set({ decision: null })
    .where('org_id', '=', orgId)
    .where('turn_id', 'in', (eb) =>
      eb.selectFrom('ai_turns').select('id').where('org_id', '=', orgId).where('session_id', 'in', sessionIds),
    )
    .where('decision', 'is not', null)
    .execute();
}

/** Has turns under way taken for begun before the last redaction of their sessions. */
export async function outdateTurns(
  trx: Trx,
  orgId: string,
  sessionIds: string[],
  redactionsOf: (orgId: string, sessionId: RawBuilder<unknown>) => RawBuilder<number>,
): Promise<void> {
  await sql`
    update ai_turns as turn set redactions = ${redactionsOf(orgId, sql.ref('turn.session_id'))} - 1
    where org_id = ${orgId} and session_id = any(${sessionIds}::uuid[]) and ended_at is null
  `.execute(trx);
}

/** SQL: the count of the last consecutive turns of a session without an answer, after a `seq`, up to 20. */
export const fruitlessTurns = (orgId: string, sessionId: string, after: number) => sql<number>`(
  with last as (
    select number, state, reason from ai_turns
    where org_id = ${orgId} and session_id = ${sessionId} and ended_at is not null and state <> 'superseded' and first_seq > ${after}
    order by number desc limit 20
  )
  select count(*)::int from last
  where number > coalesce((select max(number) from last where not (state = 'asked' or (state = 'answered' and reason is not null and reason <> 'in_progress'))), 0)
)`;

/**
 * Returns whether the AI has quoted texts possibly written by others, such as a crawled page, after a `seq` of the
 * session. A deleted item counts as such.
 */
export async function hasQuotedUntrusted(db: Db, orgId: string, sessionId: string, after: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from ai_turns as turn
      join ai_claims as claim on claim.org_id = turn.org_id and claim.turn_id = turn.id
      left join knowledge_items as item on item.org_id = claim.org_id and item.id = claim.item_id
      where turn.org_id = ${orgId} and turn.session_id = ${sessionId} and turn.last_seq > ${after}
        and coalesce(item.source_type not in ('custom_training', 'help_center'), true)
    ) as found
  `.execute(db);
  return rows[0]?.found === true;
}

/** Finds the turn for the message of this `seq`. */
export const findTurnOf = (db: Db, orgId: string, sessionId: string, messageId: string) =>
  db
    .selectFrom('ai_turns')
    .select(['id', 'state', 'reason', 'message_id', 'has_message', 'ended_at'])
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('state', '<>', 'superseded')
    .where(sql<boolean>`${messageId}::uuid = any(answers)`)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Lists the last messages of a session's turns without an answer, by the count of `countFruitlessTurns`. */
export const listVain = (db: Db, orgId: string, sessionId: string) =>
  db
    .selectFrom('ai_turns')
    .select('message_id')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('has_message', '=', true)
    .where((eb) =>
      eb.or([eb('state', '=', 'asked'), eb.and([eb('state', '=', 'answered'), eb('reason', 'is not', null)])]),
    )
    .orderBy('number', 'desc')
    .limit(50)
    .execute();

/** Lists the sources of turns. */
export const listClaims = (db: Db, orgId: string, turnIds: string[]) =>
  db
    .selectFrom('ai_claims')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('turn_id', 'in', turnIds)
    .orderBy('turn_id')
    .orderBy('position')
    .execute();

/** Lists the steps of turns. */
export const listSteps = (db: Db, orgId: string, turnIds: string[]) =>
  db
    .selectFrom('ai_steps')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('turn_id', 'in', turnIds)
    .orderBy('turn_id')
    .orderBy('step')
    .execute();

/** Lists the sessions among these with an open turn. */
export async function listSessionsWithOpenTurn(db: Db, orgId: string, sessionIds: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('ai_turns')
    .select('session_id')
    .where('org_id', '=', orgId)
    .where('session_id', 'in', sessionIds)
    .where('ended_at', 'is', null)
    .execute();
  return rows.map(({ session_id }) => session_id);
}

/** Lists open turns of all orgs after one, in a fixed order. */
export async function listOpenTurns(db: Db, after: TurnRef | undefined, limit: number): Promise<TurnRef[]> {
  const behind =
    after === undefined ? sql`true` : sql`(org_id, session_id) > (${after.orgId}::uuid, ${after.sessionId}::uuid)`;
  const { rows } = await sql<TurnRef>`
    select org_id as "orgId", session_id as "sessionId", id as "turnId" from ai_turns
    where ended_at is null and ${behind}
    order by org_id, session_id limit ${limit}
  `.execute(db);
  return rows;
}

/** Finds a turn, with the milliseconds until it is due by the database's clock. */
export const findTurn = (db: Db, orgId: string, id: string) =>
  db
    .selectFrom('ai_turns')
    .selectAll()
    .select(sql<number>`greatest(extract(epoch from due_at - clock_timestamp()) * 1000, 0)::float8`.as('due_in_ms'))
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();

/** Lists turns of a session, oldest first, or all of the org's: the rows of a page, plus one more if there is one. */
export const listTurns = (
  db: Db,
  orgId: string,
  { sessionId, state, reason, from, to, citedItemId }: TurnFilter,
  page: PageRequest,
) =>
  db
    .selectFrom('ai_turns')
    .selectAll()
    .where('org_id', '=', orgId)
    .$call((query) => (sessionId === undefined ? query : query.where('session_id', '=', sessionId)))
    .$call((query) => (state === undefined ? query : query.where('state', '=', state)))
    .$call((query) => (reason === undefined ? query : query.where('reason', '=', reason)))
    .$call((query) => (from === undefined ? query : query.where('created_at', '>=', from)))
    .$call((query) => (to === undefined ? query : query.where('created_at', '<', to)))
    .$call((query) =>
      citedItemId === undefined
        ? query
        : query.where('id', 'in', (eb) =>
            eb.selectFrom('ai_claims').select('turn_id').where('org_id', '=', orgId).where('item_id', '=', citedItemId),
          ),
    )
    .$call(orderedByCreation(page))
    .execute();

export interface TurnFilter {
  sessionId?: string | undefined;
  state?: TurnState | undefined;
  reason?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  citedItemId?: string | undefined;
}
