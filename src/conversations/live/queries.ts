import { type RawBuilder, sql } from 'kysely';
import { type Db, RELAY_APPLICATION_NAME } from '../../db/connect.ts';
import { NEXT_POSITION } from '../../db/positions.ts';
import { onlyRow } from '../../db/rows.ts';
import { actorOf, type EventRow, SHOWN_CONTENT } from '../history/shared.queries.ts';
import type { OrgPosition, SessionPosition } from './rules.ts';

export interface SessionCursor {
  orgId: string;
  sessionId: string;
  after: SessionPosition;
}

export interface OrgCursor {
  orgId: string;
  after: OrgPosition;
}

/** The index of a row's cursor, counted from 1. */
interface CursorIndex {
  nth: number;
}

/** `waiting`: the number of readable events of the cursor, including this one, up to EVENTS_PER_CURSOR. */
export type LiveEventRow = EventRow & { xid: string; waiting: number };
type NoEvent = { [Column in keyof LiveEventRow]: null };

/** The maximum number of events for one cursor in a read. */
export const EVENTS_PER_CURSOR = 100;
/** The maximum number of events for all cursors in a read. */
export const EVENTS_PER_READ = 1_000;
/** A page ends with the event exceeding this size, so slow or lagging readers do not fill the memory. */
const MAX_PAGE_BYTES = 32 * 1024;

const EVENT_COLUMNS = sql.raw('org_id, session_id, seq, id, type, sender, data, created_at, xid');
const STORED_COLUMNS = sql`${EVENT_COLUMNS}, content, own_words, actor`;

/** The size of `data`: its stored size, so it is not read, or the size of its text if it is compressed. */
const DATA_BYTES = sql.raw(
  'case when pg_column_compression(data) is null then pg_column_size(data) else octet_length(data::text) end',
);

/** Selects the first page of some events in their order. */
const pageOf = (events: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`
  select ${EVENT_COLUMNS}, ${SHOWN_CONTENT} as content, ${actorOf('event')} as actor, waiting from (
    select *, count(*) over () as waiting, sum(coalesce(octet_length(content), 0) + ${DATA_BYTES})
      over (order by ${order} rows between unbounded preceding and 1 preceding) as bytes_before
    from (${events} order by ${order} limit ${EVENTS_PER_CURSOR}) as event
  ) as event
  where coalesce(bytes_before, 0) < ${MAX_PAGE_BYTES}
`;
const SESSION_ORDER = sql.raw('seq');
const ORG_ORDER = sql.raw('xid, session_id, seq');

/** Lists the events after each cursor in order, and a row without an event for a deleted session. */
export async function listNewSessionEvents(db: Db, cursors: SessionCursor[]) {
  const { rows } = await sql<CursorIndex & { is_gone: boolean } & (LiveEventRow | NoEvent)>`
    select place.nth, session.id is null as is_gone, event.*
    from unnest(${cursors.map(({ orgId }) => orgId)}::uuid[], ${cursors.map(({ sessionId }) => sessionId)}::uuid[],
      ${cursors.map(({ after }) => after.seq)}::integer[]) with ordinality as place (org_id, session_id, seq, nth)
    left join sessions as session on session.org_id = place.org_id and session.id = place.session_id
    left join lateral (${pageOf(sql`select ${STORED_COLUMNS} from session_events where org_id = place.org_id and session_id = place.session_id and seq > place.seq`, SESSION_ORDER)}) as event on true
    where session.id is null or session.last_seq > place.seq
    order by place.nth, event.seq
    limit ${EVENTS_PER_READ}
  `.execute(db);
  return rows;
}

/**
 * Events before the position `final_before` are final: no other event can appear between them anymore. Open
 * transactions without events are ignored: those of other databases, and a relay's, because they last until Temporal
 * answers.
 */
export const HORIZON = sql`
  select ${NEXT_POSITION} as next_xid, public.position_of_xid(coalesce((
    select open.xid from pg_snapshot_xip(snapshot.now) as open (xid)
    where not exists (
      select from pg_stat_activity as activity
      where activity.backend_xid = open.xid::xid
        and (activity.datname <> current_database() or activity.application_name = ${RELAY_APPLICATION_NAME})
    )
    order by open.xid limit 1
  ), pg_snapshot_xmax(snapshot.now))) as final_before
  from (select pg_current_snapshot()) as snapshot (now)
`;

/**
 * Lists the final events after each cursor in order. `is_held_up`: some events are not final yet. Such a row may be
 * without an event.
 */
export async function listNewOrgEvents(db: Db, cursors: OrgCursor[]) {
  const { rows } = await sql<CursorIndex & { is_held_up: boolean } & (LiveEventRow | NoEvent)>`
    with horizon as materialized (${HORIZON})
    select place.nth, held_up.is_held_up, event.*
    from unnest(${cursors.map(({ orgId }) => orgId)}::uuid[], ${cursors.map(({ after }) => after.xid)}::xid8[],
      ${cursors.map(({ after }) => after.session_id)}::uuid[], ${cursors.map(({ after }) => after.seq)}::integer[])
      with ordinality as place (org_id, xid, session_id, seq, nth)
    cross join horizon
    cross join lateral (
      select exists (
        select from session_events
        where org_id = place.org_id and xid >= horizon.final_before and xid < horizon.next_xid
      ) as is_held_up
      offset 0 -- looked at once a place, not once a row
    ) as held_up
    left join lateral (${pageOf(sql`select ${STORED_COLUMNS} from session_events where org_id = place.org_id and xid < horizon.final_before and (xid, session_id, seq) > (place.xid, place.session_id, place.seq)`, ORG_ORDER)}) as event on true
    where held_up.is_held_up or event.id is not null
    order by place.nth, event.xid, event.session_id, event.seq
    limit ${EVENTS_PER_READ}
  `.execute(db);
  return rows;
}

/** Returns the position of the session's last event. */
export function findLastSessionPosition(db: Db, orgId: string, id: string): Promise<SessionPosition | undefined> {
  return db
    .selectFrom('sessions')
    .select('last_seq as seq')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Returns the end of the final events of all orgs, and whether an event can have had this position. */
export async function getHorizon(db: Db, xid: string): Promise<{ final_before: string; is_known: boolean }> {
  const horizon = await sql<{ final_before: string; is_known: boolean }>`
    select final_before, ${xid}::xid8 <= next_xid as is_known from (${HORIZON}) as horizon
  `.execute(db);
  return onlyRow(horizon);
}
