import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { ANSWERED_BY, TAG_NAMES } from '../queries.ts';
import type { ConfirmationsPort } from './confirmations.port.ts';
import type { InboxRow } from './schema.ts';

const MAX_TEXT = 160;

/** How far members have read a session, by their ids. */
export type ReadMarks = Record<string, { seq: number; is_unread: boolean }>;

/** A session as it is read for lists. */
export interface SelectedRow extends Omit<InboxRow, 'last_message' | 'sla' | 'unread'> {
  org_id: string;
  last_contact_seq: number;
  marks: ReadMarks;
  said_at: Date | null;
  said_by: NonNullable<InboxRow['last_message']>['sender'] | null;
  said: string | null;
  sla_metric: NonNullable<InboxRow['sla']>['metric'] | null;
  sla_due_at: Date | null;
  sla_state: NonNullable<InboxRow['sla']>['state'];
}

const OWN_COLUMNS = [
  ...['org_id', 'id', 'ticket_number', 'status', 'channel', 'waiting_on', 'waiting_since', 'snoozed_at'],
  ...['snoozed_until', 'sentiment', 'language', 'updated_at', 'last_contact_seq', 'sla_metric', 'sla_due_at'],
].map((name) => sql.ref(`session.${name}`));

const CONTACT = sql`(
  select jsonb_build_object('id', contact.id, 'name', contact.name, 'email', contact.email) from contacts as contact
  where contact.org_id = session.org_id and contact.id = session.contact_id
)`;
const ASSIGNEE = sql`(
  select jsonb_build_object('id', member.user_id, 'name', member.name) from members as member
  where member.org_id = session.org_id and member.user_id = session.assignee_id
)`;
const TEAM = sql`(
  select jsonb_build_object('id', team.id, 'name', team.name) from teams as team
  where team.org_id = session.org_id and team.id = session.team_id and team.deleted_at is null
)`;
const CUSTOM_STATUS = sql`case when session.custom_status_id is not null then jsonb_build_object('id', session.custom_status_id, 'name', (
  select one ->> 'name' from orgs as org, jsonb_array_elements(org.settings -> 'session_statuses') as one
  where org.id = session.org_id and (one ->> 'id')::integer = session.custom_status_id limit 1
)) end`;
const SLA_STATE = sql`case when session.sla_due_at <= now() then 'breached'
  when session.sla_warning_at <= now() then 'warning' else 'running' end`;

const marksOf = (memberIds: number[]) => sql`coalesce((
  select jsonb_object_agg(mark.user_id, jsonb_build_object('seq', mark.read_seq, 'is_unread', mark.is_unread))
  from session_reads as mark
  where mark.org_id = session.org_id and mark.session_id = session.id and mark.user_id = any(${memberIds}::bigint[])
), '{}')`;

/** SQL: what lists show of `session`, with the marks of members. */
export const inboxColumns = (memberIds: number[], confirmations: ConfirmationsPort): RawBuilder<unknown> => sql`
  ${sql.join(OWN_COLUMNS)}, ${CUSTOM_STATUS} as custom_status, ${CONTACT} as contact, ${ASSIGNEE} as assignee,
  ${TEAM} as team, ${TAG_NAMES} as tags, ${ANSWERED_BY} as answered_by, ${marksOf(memberIds)} as marks,
  ${SLA_STATE} as sla_state, ${confirmations.waitingInSession()} as confirmations,
  session.handoff ->> 'state' as handoff_state,
  said.created_at as said_at, left(coalesce(said.own_words, said.content), ${MAX_TEXT}) as said,
  case when said.type = 'message' then said.sender when said.type is not null then 'workflow' end as said_by`;

/** SQL: the join with the last message of `session`, which the columns are read from too. */
export const LAST_MESSAGE = sql`left join session_events as said
  on said.org_id = session.org_id and said.session_id = session.id and said.seq = nullif(session.last_message_seq, 0)`;

export interface SessionKey {
  orgId: string;
  id: string;
}

/** Lists what lists show of sessions of any orgs, with the marks of members. Deleted ones are left out. */
export async function listRows(
  db: Db,
  keys: SessionKey[],
  memberIds: number[],
  confirmations: ConfirmationsPort,
): Promise<SelectedRow[]> {
  const { rows } = await sql<SelectedRow>`
    select ${inboxColumns(memberIds, confirmations)}
    from unnest(${keys.map(({ orgId }) => orgId)}::uuid[], ${keys.map(({ id }) => id)}::uuid[]) as key (org_id, id)
    join sessions as session on session.org_id = key.org_id and session.id = key.id ${LAST_MESSAGE}
  `.execute(db);
  return rows;
}
