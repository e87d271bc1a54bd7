import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { ANSWERED_BY, TAG_NAMES } from '../queries.ts';
import type { ConfirmationsPort } from './confirmations.port.ts';
import type { InboxRow } from './schema.ts';

const MAX_TEXT = 160;

/** How far members have read a session, by their ids. */
export type ReadMarks = Record<string, { seq: number; is_unread: boolean }>;

/** A session as it is read for lists. */
export interface SelectedRow
  extends Omit<InboxRow, 'contact' | 'assignee' | 'team' | 'last_message' | 'sla' | 'unread' | 'custom_status'> {
  org_id: string;
  custom_status_id: number | null;
  custom_status_name: string | null;
  contact_id: string | null;
  contact_name: string | null;
  contact_email: string | null;
  contact_phone_number: string | null;
  assignee_id: number | null;
  assignee_name: string | null;
  team_id: string | null;
  team_name: string | null;
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
  ...['org_id', 'id', 'ticket_number', 'status', 'custom_status_id', 'channel', 'contact_id', 'assignee_id'],
  ...['waiting_on', 'waiting_since', 'snoozed_at', 'snoozed_until', 'sentiment', 'language', 'updated_at'],
  ...['last_contact_seq', 'sla_metric', 'sla_due_at'],
].map((name) => sql.ref(`session.${name}`));

const CUSTOM_STATUS = sql`case when session.custom_status_id is not null then (
  select one ->> 'name' from orgs as org, jsonb_array_elements(org.settings -> 'session_statuses') as one
  where org.id = session.org_id and (one ->> 'id')::integer = session.custom_status_id limit 1
) end`;
const SLA_STATE = sql`case when session.sla_due_at <= now() then 'breached'
  when session.sla_warning_at <= now() then 'warning' else 'running' end`;
/** An e-mail may be long: Postgres decompresses no more than the beginning. */
const SAID = sql`left(coalesce(said.own_words, said.content), ${sql.raw(String(MAX_TEXT))})`;

/** SQL: the marks of members in `session`. For one of them, Postgres need not guess how many there are. */
function marksOf(memberIds: number[]) {
  const [memberId, ...others] = memberIds;
  if (memberId === undefined) return sql`'{}'::jsonb`;
  const isOfThem = others.length === 0 ? sql`= ${memberId}::bigint` : sql`= any(${memberIds}::bigint[])`;
  return sql`coalesce((
  select jsonb_object_agg(mark.user_id, jsonb_build_object('seq', mark.read_seq, 'is_unread', mark.is_unread))
  from session_reads as mark
  where mark.org_id = session.org_id and mark.session_id = session.id and mark.user_id ${isOfThem}
), '{}')`;
}

/** SQL: what lists show of `session`, with the marks of members. It needs ROW_JOINS. */
export const rowColumns = (memberIds: number[], confirmations: ConfirmationsPort) => sql<SelectedRow>`
    ${sql.join(OWN_COLUMNS)}, ${CUSTOM_STATUS} as custom_status_name, ${ANSWERED_BY} as answered_by,
      contact.name as contact_name, contact.email as contact_email, contact.phone_number as contact_phone_number,
      member.name as assignee_name, team.id as team_id, team.name as team_name, ${TAG_NAMES} as tags, ${marksOf(memberIds)} as marks,
      ${SLA_STATE} as sla_state, ${confirmations.waitingInSession()} as confirmations,
      session.handoff ->> 'state' as handoff_state, said.created_at as said_at, ${SAID} as said,
      case when said.type = 'message' then said.sender when said.type is not null then 'workflow' end as said_by`;

export const ROW_JOINS = sql`
    left join session_events as said
      on said.org_id = session.org_id and said.session_id = session.id and said.seq = nullif(session.last_message_seq, 0)
    left join contacts as contact on contact.org_id = session.org_id and contact.id = session.contact_id
    left join members as member on member.org_id = session.org_id and member.user_id = session.assignee_id
    left join teams as team on team.org_id = session.org_id and team.id = session.team_id and team.deleted_at is null`;

export interface SessionKey {
  orgId: string;
  id: string;
}

/** Lists the rows shown for sessions of any orgs, with the marks of members. Deleted ones are left out. */
export async function listRows(
  db: Db,
  keys: SessionKey[],
  memberIds: number[],
  confirmations: ConfirmationsPort,
): Promise<SelectedRow[]> {
  const { rows } = await sql<SelectedRow>`
    with key as materialized (
      select * from unnest(${keys.map(({ orgId }) => orgId)}::uuid[], ${keys.map(({ id }) => id)}::uuid[]) as key (org_id, id)
    )
    select ${rowColumns(memberIds, confirmations)}
    from key join sessions as session on session.org_id = key.org_id and session.id = key.id ${ROW_JOINS}
  `.execute(db);
  return rows;
}
