import { sql } from 'kysely';
import type { Trx } from '../db/connect.ts';
import { compiledOnce } from '../db/connections/compiled-once.ts';
import { type Sent, sendWithCommit } from '../db/connections/pipeline.ts';
import { NIL_UUID } from '../ids.ts';
import type { DispatchedCommand } from '../temporal/dispatch.ts';
import { isTracing } from '../tracing/spans.ts';
import type { EventPayloads, EventType } from './events.ts';
import type { OutboxKind } from './wake.ts';

/** An event as announced. Its type determines the type of its payload. */
export interface ClaimedEvent<Type extends EventType> {
  id: number;
  org_id: string;
  type: Type;
  subject_id: string;
  payload: EventPayloads[Type];
  /** The number of runs of customers' workflows in the chain of causes of this event. */
  depth: number;
  created_at: Date;
  /** The trace of its cause, where this process records traces. */
  trace?: string | null;
  /** The id of the request that it follows from. */
  request_id?: string | null;
}

/** An event of any of these types. Its `type` discriminates the union. */
export type ClaimedEventOf<Types extends EventType> = { [Type in Types]: ClaimedEvent<Type> }[Types];
export type AnyClaimedEvent = ClaimedEventOf<EventType>;

export interface ClaimedCommand extends DispatchedCommand {
  id: number;
  trace: string | null;
  request_id: string | null;
}

/** A batch after each failed attempt has this share of the events, so that one event holds up fewer others. */
const SHARE_AFTER_FAILURE = 0.1;

/** The events of one org that a relay has locked. */
export interface EventClaim {
  events: AnyClaimedEvent[];
  /** Whether a process may have ended while it expanded some of them: nobody else expands events of this org now. */
  mayBeInterrupted: boolean;
  /** The process id of the connection in Postgres. */
  backend: number;
}

/**
 * Locks the oldest events of one org: the next by id after `behind`, or else the first, so that no org waits for
 * another's backlog. Events of different orgs never share a transaction, nor do events with different numbers of
 * attempts. Those of one subject stay in order: an org's events are claimed by one relay at a time, and an event whose
 * handling ended a process holds back the later ones of its subject until it is due. One that is parked, or whose reactions
 * have failed, holds nothing back. The locks end with the transaction.
 */
export async function claimEvents(trx: Trx, limit: number, behind: string): Promise<EventClaim> {
  const { rows } = await trx.executeQuery(claim(trx, { behind, limit, isTraced: isTracing() }));
  const [first] = rows;
  return { events: rows, mayBeInterrupted: first?.may_be_interrupted === true, backend: first?.backend ?? 0 };
}

const claim = compiledOnce(
  ({ behind, limit, isTraced }: { behind: string; limit: number; isTraced: boolean }) => sql<
    AnyClaimedEvent & { may_be_interrupted: boolean; backend: number }
  >`
    select id, org_id, type, subject_id, payload, depth, created_at, request_id, may_be_interrupted,
      case when ${isTraced}::boolean then trace end as trace, pg_backend_pid() as backend
    from claim_events_with_causes(${behind}::uuid, ${limit}::integer, ${SHARE_AFTER_FAILURE}::float8) order by id`,
);

/** Average number of commands per workflow in a batch. Repeated commands are sent once. */
const COMMANDS_PER_WORKFLOW = 5;
/** An org whose commands arrive during a batch waits for its end. So no org fills one alone. */
const COMMANDS_PER_ORG = 25;
/** Beyond the id of any command. */
const MAX_BIGINT = 9_223_372_036_854_775_807n;
/** Number of orgs served by one batch. */
const ORGS_PER_BATCH = 50;

/**
 * Locks about `limit` commands of the orgs that follow `behind` by id, wrapping around to the first. Each org gets the
 * same share, and no org waits for another's backlog. Its oldest commands go first, apart from deferrable ones.
 * A workflow's commands stay in order: only the relay holding a lock on the oldest one receives the later ones.
 * Deferrable commands of an org are claimed one after the other, by one relay at a time: a thousand of them take little
 * from what others wait for. One is sent with the next other command of its workflow, at once.
 */
export async function claimCommands(
  trx: Trx,
  limit: number,
  behind: string,
): Promise<{ commands: ClaimedCommand[]; last: string }> {
  const orgs = await listOrgs(trx, behind);
  const last = orgs.at(-1);
  if (last === undefined) return { commands: [], last: behind };
  const limitPerOrg = Math.min(Math.ceil(limit / orgs.length), COMMANDS_PER_ORG);
  const { rows: heads } = await sql<{ workflow_id: string }>`
    select workflow_id from unnest(${orgs}::uuid[]) as org
    cross join (values (false, ${limitPerOrg}::integer), (true, 1)) as lane (is_deferrable, places)
    cross join lateral (
      select workflow_id from outbox as head
      where org_id = org and kind <> 'event' and head.is_deferrable = lane.is_deferrable and available_at <= now()
        and head.id <= case when lane.is_deferrable then (
          select id from outbox where org_id = org and kind <> 'event' and is_deferrable and available_at <= now() order by id limit 1
        ) else ${MAX_BIGINT}::bigint end
        and not exists (
          select from outbox as earlier
          where earlier.workflow_id = head.workflow_id and earlier.id < head.id and earlier.is_deferrable <= head.is_deferrable
        )
      order by id limit lane.places for update skip locked
    ) as heads
  `.execute(trx);
  if (heads.length === 0) return { commands: [], last };
  const { rows: commands } = await sql<ClaimedCommand>`
    select command.* from unnest(${[...new Set(heads.map(({ workflow_id }) => workflow_id))]}::text[]) as head
    cross join lateral (
      select id, org_id, kind, type, subject_id, workflow_id, task_queue, signal, summary, payload, trace, request_id from outbox
      where workflow_id = head order by id limit ${Math.ceil((limit * COMMANDS_PER_WORKFLOW) / heads.length)} for update skip locked
    ) as command
    order by id
  `.execute(trx);
  return { commands, last };
}

/** Returns orgs with commands to send: those after `behind` in order, then the first ones. Each takes one index look-up. */
async function listOrgs(trx: Trx, behind: string): Promise<string[]> {
  const { rows } = await sql<{ org_id: string; is_next: boolean }>`
    with recursive next as (${orgsAfter(behind, 'next')}), first as (${orgsAfter(NIL_UUID, 'first')})
    (select org_id, true as is_next from next where org_id is not null limit ${ORGS_PER_BATCH})
    union all
    (select org_id, false from first where org_id <= ${behind}::uuid limit ${ORGS_PER_BATCH})
  `.execute(trx);
  const [next, first] = [rows.filter(({ is_next }) => is_next), rows.filter(({ is_next }) => !is_next)];
  return [...next, ...first].slice(0, ORGS_PER_BATCH).map(({ org_id }) => org_id);
}

/** SQL: the part of a recursive table of orgs with commands after one, in order, and null at its end. */
const orgsAfter = (behind: string, table: 'next' | 'first') => sql`
  (select org_id from outbox where kind <> 'event' and available_at <= now() and org_id > ${behind}::uuid order by org_id limit 1)
  union all
  select (
    select org_id from outbox where kind <> 'event' and available_at <= now() and org_id > org.org_id order by org_id limit 1
  ) from ${sql.ref(table)} as org where org.org_id is not null`;

/** A batch that was worked off, and whether there is more to do. */
export type FinishedBatch = Sent<{ is_more: boolean }>;

/** SQL, with the answer of a FinishedBatch: whether there are events, or commands, besides those that this statement deletes. */
export const selectIsMore = (kind: OutboxKind, deleted: number[]) => sql<{ is_more: boolean }>`
  select exists (
    select from outbox
    where kind ${sql.raw(kind === 'events' ? '=' : '<>')} 'event' and available_at <= now() and id <> all(${deleted}::bigint[])
  ) as is_more`;

/** Deletes commands that were sent, as the last statement of the transaction. */
export const deleteClaimed = (trx: Trx, ids: number[]): Promise<FinishedBatch> =>
  sendWithCommit(
    trx,
    sql<{ is_more: boolean }>`
      with sent as (delete from outbox where id = any(${ids}::bigint[])) ${selectIsMore('commands', ids)}`,
  );

/** Defers rows after a failed attempt, with the reason, by at most a minute. */
export async function defer(trx: Trx, ids: number[], reason: string): Promise<void> {
  await sql`
    update outbox set attempts = attempts + 1, last_error = ${reason.slice(0, 1000)},
      available_at = now() + least(power(2, least(attempts, 6)), 60) * interval '1 second'
    where id = any(${ids})
  `.execute(trx);
}
