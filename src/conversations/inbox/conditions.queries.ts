import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { ANSWERED_BY } from '../queries.ts';
import type { InboxFilters } from './schema.ts';

type Condition = RawBuilder<SqlBool>;

/** Filters with what had to be looked up for them. */
export interface InboxCriteria extends Omit<InboxFilters, 'status' | 'tag' | 'q' | 'order'> {
  /** The member whose list it is. Null for an API key. */
  memberId: number | null;
  tagKey: string | undefined;
  text: SearchedText | undefined;
}

/** What the words of a search have been found in. */
export interface SearchedText {
  ticketNumber: number | undefined;
  contactIds: string[];
  sessionIds: string[];
}

/** SQL: whether the next target of `session` is breached, as the index of that order finds it. */
export const IS_BREACHED = sql<SqlBool>`coalesce(session.sla_due_at, 'infinity') <= now()`;
/** SQL: whether the next target of `session` is soon due, or breached: the warning comes first. */
const IS_WARNED = sql<SqlBool>`session.sla_warning_at <= now()`;

/**
 * SQL: whether a member has not read all of `session` that its contact wrote. By one look-up for each session: Postgres
 * would answer `exists` of a mark by a hash of all marks of the table.
 */
export const isUnread = (memberId: number | null): Condition => sql`coalesce((
  select mark.is_unread or mark.read_seq < session.last_contact_seq from session_reads as mark
  where mark.org_id = session.org_id and mark.session_id = session.id and mark.user_id = ${memberId}::bigint
), session.last_contact_seq > 0)`;

/** SQL: the conditions of filters on `session`, but for its status. */
export function conditionsOf(criteria: InboxCriteria): Condition[] {
  const { waiting_on, contact_id, tagKey, text } = criteria;
  const isGiven = <Value>(value: Value | undefined, condition: (value: Value) => Condition): Condition[] =>
    value === undefined ? [] : [condition(value)];
  return [
    ...isGiven(criteria.assignee, (assignee) => isAssignedTo(assignee, criteria.memberId)),
    ...isGiven(criteria.team, isOfTeam),
    ...isGiven(criteria.channel, (channels) => sql`session.channel = any(${channels.split(',')}::text[])`),
    ...isGiven(waiting_on, (side) => sql`session.waiting_on = ${side}`),
    ...isGiven(criteria.answered_by, isAnsweredBy),
    ...isGiven(criteria.sla, isInSlaState),
    ...isGiven(criteria.unread, (unread) =>
      unread === 'true' ? isUnread(criteria.memberId) : sql`not ${isUnread(criteria.memberId)}`,
    ),
    ...isGiven(contact_id, (id) => sql`session.contact_id = ${id}`),
    ...isGiven(criteria.created_after, (time) => sql`session.created_at >= ${new Date(time)}::timestamptz`),
    ...isGiven(criteria.created_before, (time) => sql`session.created_at < ${new Date(time)}::timestamptz`),
    ...isGiven(tagKey, hasTag),
    ...isGiven(text, isFound),
  ];
}

function isAssignedTo(assignee: string, memberId: number | null): Condition {
  if (assignee === 'none') return sql`session.assignee_id is null`;
  return sql`session.assignee_id = ${assignee === 'me' ? memberId : Number(assignee)}::bigint`;
}

const isOfTeam = (team: string): Condition =>
  team === 'none' ? sql`session.team_id is null` : sql`session.team_id = ${team}`;

function isInSlaState(states: string): Condition {
  const [hasWarning, hasBreached] = ['warning', 'breached'].map((state) => states.split(',').includes(state));
  if (hasWarning && hasBreached) return IS_WARNED;
  return hasBreached ? IS_BREACHED : sql`${IS_WARNED} and session.sla_due_at > now()`;
}

/** The AI's sessions have a separate index: Postgres knows it by the conditions about its columns. */
const isAnsweredBy = (names: string): Condition =>
  names === 'ai'
    ? sql`session.ai_state = 'on' and session.assignee_id is null and ${ANSWERED_BY} = 'ai'`
    : sql`${ANSWERED_BY} = any(${names.split(',')}::text[])`;

const hasTag = (key: string): Condition => sql`exists (
  select from session_tags as given
  where given.org_id = session.org_id and given.session_id = session.id and given.tag_key = ${key}
)`;

const isFound = ({ ticketNumber, contactIds, sessionIds }: SearchedText): Condition =>
  sql`(session.ticket_number = ${ticketNumber ?? null}::bigint or session.contact_id = any(${contactIds}::uuid[])
    or session.id = any(${sessionIds}::uuid[]))`;
