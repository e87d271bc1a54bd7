import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { REPORT } from '../../db/connections/preparing-client.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { onlyRow } from '../../db/rows.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import { inSessions } from '../reports/sessions.shared.queries.ts';
import { inRange } from '../reports/shared.queries.ts';
import type { HandoffCount } from './figures.rules.ts';
import { type HandoffReason, REPORTED_REASONS } from './reasons.rules.ts';

/** Which handoffs are reported. Days are those of the time zone. */
export interface HandoffScope {
  orgId: string;
  from: Date;
  to: Date;
  timeZone: string;
  channel?: string | undefined;
  team_id?: string | undefined;
  reason?: HandoffReason | undefined;
}

export interface HandoffEvent {
  id: string;
  session_id: string;
  channel: SessionChannel;
  reason: HandoffReason;
  /** The reason as it was given. */
  words: string | null;
  sentiment: string;
  summary: string | null;
  created_at: Date;
}

const WORDS = sql`nullif(event.data ->> 'reason', '')`;
const REASON = sql`coalesce(${JSON.stringify(REPORTED_REASONS)}::jsonb ->> (${WORDS}), case when ${WORDS} is null then 'not_given' else 'other' end)`;

/** Texts and sentiment of a handoff are in its session until it is returned to the AI. */
const IS_CURRENT = sql`not exists (
  select from session_events as later
  where later.org_id = event.org_id and later.session_id = event.session_id and later.seq > event.seq and later.type = 'returned_to_ai'
)`;

const ofHandoff = (name: 'sentiment' | 'summary') =>
  sql`case when ${IS_CURRENT} then session.handoff ->> ${sql.lit(name)} end`;

/** Selects columns of the handoffs of a report. */
const handoffs = (scope: HandoffScope, columns: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select ${columns} from session_events as event
  join sessions as session on session.org_id = event.org_id and session.id = event.session_id
  where event.org_id = ${scope.orgId} and event.type = 'handoff' and ${inRange(scope, sql`event.created_at`)}
    and ${inSessions({ ...scope, group_by: 'day' })}${scope.reason === undefined ? sql`` : sql` and ${REASON} = ${scope.reason}`}`;

/**
 * Counts handoffs by each of their properties, and their sessions by the reasons of each, in one statement. Days come
 * first, in order, and then the rest, the most frequent first.
 */
export async function countHandoffs(db: Db, scope: HandoffScope): Promise<HandoffCount[]> {
  const columns = sql`event.session_id, session.channel, ${REASON} as reason,
    coalesce(${ofHandoff('sentiment')}, 'unknown') as sentiment,
    (event.created_at at time zone ${scope.timeZone}::text)::date::text as day`;
  const { rows } = await sql<HandoffCount>`
    ${sql.raw(REPORT)} with handoffs as materialized (${handoffs(scope, columns)})
    select * from (
      select reason, sentiment, channel, day, null::text[] as reasons, count(*) as count
      from handoffs group by grouping sets ((reason), (sentiment), (channel), (day))
      union all
      select null, null, null, null, of_session.reasons, count(*) from (
        select array_agg(distinct reason order by reason) as reasons from handoffs group by session_id
      ) as of_session group by of_session.reasons
    ) as counts
    order by day, count desc, coalesce(reason, sentiment, channel, array_to_string(reasons, ',')) collate "C"
  `.execute(db);
  return rows;
}

/** Lists a page of handoffs, oldest first. */
export function listHandoffs(db: Db, scope: HandoffScope, page: PageRequest): Promise<HandoffEvent[]> {
  const columns = sql`event.id, event.session_id, session.channel, ${REASON} as reason, ${WORDS} as words,
    coalesce(${ofHandoff('sentiment')}, 'unknown') as sentiment, ${ofHandoff('summary')} as summary, event.created_at`;
  return db
    .selectFrom(sql<HandoffEvent>`(${handoffs(scope, columns)})`.as('handoff'))
    .selectAll()
    .$call(orderedByCreation(page, 'handoff'))
    .execute();
}

export async function countAllHandoffs(db: Db, scope: HandoffScope): Promise<number> {
  const counted = await sql<{ count: number }>`${handoffs(scope, sql`count(*) as count`)}`.execute(db);
  return onlyRow(counted).count;
}
