import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { onlyRow } from '../../db/rows.ts';
import { type EventRow, selectEvents } from '../history/shared.queries.ts';
import { HORIZON, type OrgCursor } from './queries.ts';
import type { OrgPosition } from './rules.ts';

/** Events read for one page. With a filter it may have none of them. */
const EVENTS_PER_SCAN = 2_000;
/** Enough for any number of transactions below 2^62. */
const MAX_STEPS = 62;

export interface PageOfEvents {
  rows: (EventRow & { xid: string })[];
  /** The last position read, or undefined if nothing is behind the cursor. */
  last: OrgPosition | undefined;
  hasMore: boolean;
}

interface Wanted {
  /** Absent: all. */
  types: string[] | undefined;
  limit: number;
}

interface ScannedRow extends OrgPosition {
  id: string;
  is_wanted: boolean;
}

/**
 * Lists final events of an org after a position, in their order: a later commit adds only later ones. Those of the
 * turns of the AI are left out, as histories leave them out.
 */
export async function listEventsAfter(
  db: Db,
  { orgId, after }: OrgCursor,
  { types, limit }: Wanted,
): Promise<PageOfEvents> {
  const isWanted = types === undefined ? sql`type <> 'ai_turn'` : sql`type <> 'ai_turn' and type = any(${types})`;
  const { rows: scanned } = await sql<ScannedRow>`
    with horizon as materialized (${HORIZON})
    select xid::text as xid, session_id, seq, id, ${isWanted} as is_wanted from session_events
    where org_id = ${orgId} and xid > '0'::xid8 and xid < (select final_before from horizon)
      and (xid, session_id, seq) > (${after.xid}::xid8, ${after.session_id}::uuid, ${after.seq}::integer)
    order by session_events.xid, session_id, seq limit ${EVENTS_PER_SCAN}
  `.execute(db);
  const wanted = scanned.filter(({ is_wanted }) => is_wanted);
  const shown = wanted.slice(0, limit);
  const isCut = wanted.length > limit;
  const positions = new Map(shown.map((row, index) => [row.id, { xid: row.xid, index }]));
  const events = shown.length === 0 ? [] : await listByIds(db, orgId, [...positions.keys()]);
  const rows = events
    .map((event) => ({ ...event, ...(positions.get(event.id) ?? { xid: after.xid, index: 0 }) }))
    .toSorted((a, b) => a.index - b.index);
  return {
    rows,
    last: isCut ? shown.at(-1) : scanned.at(-1),
    hasMore: isCut || scanned.length === EVENTS_PER_SCAN,
  };
}

const listByIds = (db: Db, orgId: string, ids: string[]) =>
  selectEvents(db, orgId).where('event.id', '=', sql<string>`any(${ids}::uuid[])`).execute();

/** Returns when the first event after a position happened, if there is one. */
export async function findTimeAfter(db: Db, { orgId, after }: OrgCursor): Promise<Date | undefined> {
  const { rows } = await sql<{ created_at: Date }>`
    select created_at from session_events
    where org_id = ${orgId} and xid > '0'::xid8 and (xid, session_id, seq) > (${after.xid}::xid8, ${after.session_id}::uuid, ${after.seq}::integer)
    order by xid, session_id, seq limit 1
  `.execute(db);
  return rows[0]?.created_at;
}

/**
 * Returns the position of the first transaction with events no older than this, found by halving: positions are in the
 * order of time. Imported histories have the position 0, absent from every list.
 */
export async function findPositionOfAge(db: Db, orgId: string, days: number): Promise<string> {
  const found = await sql<{ position: string }>`
    with recursive horizon as materialized (${HORIZON}),
    halving (low, high, step) as (
      select 1::bigint, final_before::text::bigint, 0 from horizon
      union all
      select case when probe.is_old then middle + 1 else low end, case when probe.is_old then high else middle end, step + 1
      from halving
      cross join lateral (select low + (high - low) / 2 as middle) as half
      cross join lateral (
        select coalesce((
          select created_at < now() - make_interval(days => ${days}) from session_events
          where org_id = ${orgId} and xid >= middle::text::xid8 order by xid, session_id, seq limit 1
        ), false) as is_old
      ) as probe
      where low < high and step < ${MAX_STEPS}
    )
    select low::text as position from halving order by step desc limit 1
  `.execute(db);
  return onlyRow(found).position;
}
