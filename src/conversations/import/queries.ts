import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { Actor } from '../../schemas/actor.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import type { EventType, Sender } from '../history/events.schema.ts';
import type { SessionStatus } from '../sessions/schema.ts';
import type { PastState } from './rows.rules.ts';

/**
 * SQL: the position of events from elsewhere. It is before the beginning of all streams of events, as nothing happened
 * here.
 */
const NO_POSITION = sql`'0'::xid8`;
/** SQL: a time before all those searched by workflows: a session without activity here does not become inactive. */
const NEVER_ACTIVE = sql`to_timestamp(-1)`;

export interface SessionValues extends PastState {
  id: string;
  status: SessionStatus;
  assignee_id: number | null;
  team_id: string | null;
  custom_data: Record<string, string>;
  closed_at: Date | null;
  updated_at: Date;
  last_seq: number;
}

export interface NewPastSession extends SessionValues {
  contact_id: string | null;
  channel: SessionChannel;
  language: string | null;
  created_at: Date;
}

export interface NewPastEvent {
  session_id: string;
  seq: number;
  id: string;
  type: EventType;
  sender: Sender | null;
  content: string | null;
  own_words: string | null;
  data: object;
  actor: Actor;
  language: string | null;
  created_at: Date;
}

const STATE_COLUMNS = `status text, assignee_id bigint, team_id uuid, custom_data jsonb, closed_at timestamptz, updated_at timestamptz,
  last_message_at timestamptz, last_message_seq int, last_contact_seq int, waiting_on text, waiting_since timestamptz,
  contact_messages int, agent_messages int, first_contact_message_at timestamptz, first_agent_message_at timestamptz, last_seq int`;

const recordset = (rows: object[]): RawBuilder<unknown> => sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)`;

/**
 * Inserts sessions with the org's next ticket numbers, in their order, each with the event `session_created`. Concurrent
 * inserts of the org wait until this transaction has ended. Nothing is announced.
 */
export async function insertPastSessions(
  trx: Trx,
  orgId: string,
  sessions: NewPastSession[],
  actor: Actor,
): Promise<void> {
  if (sessions.length === 0) return;
  const rows = sessions.map((session, nth) => ({ ...session, nth: nth + 1 }));
  await sql`
    with counter as (
      insert into ticket_counters as counter (org_id, last_number) values (${orgId}, ${rows.length}::integer)
      on conflict (org_id) do update set last_number = counter.last_number + ${rows.length}::integer
      returning last_number - ${rows.length}::integer as before
    ), session as (
      insert into sessions (org_id, id, ticket_number, contact_id, channel, language, created_at, active_at, last_event_xid,
        status, assignee_id, team_id, custom_data, closed_at, updated_at, last_message_at, last_message_seq, last_contact_seq,
        waiting_on, waiting_since, contact_messages, agent_messages, first_contact_message_at, first_agent_message_at, last_seq)
      select ${orgId}::uuid, id, counter.before + nth, contact_id, channel, language, created_at, ${NEVER_ACTIVE}, ${NO_POSITION},
        status, assignee_id, team_id, custom_data, closed_at, updated_at, last_message_at, last_message_seq, last_contact_seq,
        waiting_on, waiting_since, contact_messages, agent_messages, first_contact_message_at, first_agent_message_at, last_seq
      from counter cross join ${recordset(rows)}
        as row (nth int, id uuid, contact_id uuid, channel text, language text, created_at timestamptz, ${sql.raw(STATE_COLUMNS)})
      returning org_id, id, ticket_number, channel, created_at
    )
    insert into session_events (org_id, session_id, seq, id, type, data, actor, xid, created_at)
    select org_id, id, 0, gen_random_uuid(), 'session_created',
      jsonb_build_object('channel', jsonb_build_object('type', channel), 'ticket_number', ticket_number),
      ${JSON.stringify(actor)}::jsonb, ${NO_POSITION}, created_at
    from session
  `.execute(trx);
}

/** Changes locked sessions. If the last message was known before, its place in the history stays. */
export async function updatePastSessions(trx: Trx, orgId: string, sessions: SessionValues[]): Promise<void> {
  if (sessions.length === 0) return;
  await sql`
    update sessions as session set status = row.status, custom_status_id = null, assignee_id = row.assignee_id, team_id = row.team_id,
      custom_data = session.custom_data || row.custom_data, closed_at = row.closed_at, updated_at = row.updated_at,
      last_message_at = row.last_message_at, last_message_seq = greatest(session.last_message_seq, row.last_message_seq),
      last_contact_seq = greatest(session.last_contact_seq, row.last_contact_seq), waiting_on = row.waiting_on,
      waiting_since = row.waiting_since, contact_messages = row.contact_messages, agent_messages = row.agent_messages,
      first_contact_message_at = row.first_contact_message_at, first_agent_message_at = row.first_agent_message_at,
      last_seq = row.last_seq
    from ${recordset(sessions)} as row (id uuid, ${sql.raw(STATE_COLUMNS)})
    where session.org_id = ${orgId} and session.id = row.id
  `.execute(trx);
}

/** Inserts events into the histories of sessions. Nothing is announced, and no stream of events has them. */
export async function insertPastEvents(trx: Trx, orgId: string, events: NewPastEvent[]): Promise<void> {
  if (events.length === 0) return;
  await sql`
    insert into session_events (org_id, session_id, seq, id, type, sender, content, own_words, data, actor, language, xid, created_at)
    select ${orgId}::uuid, session_id, seq, id, type, sender, content, own_words, data, actor, language, ${NO_POSITION}, created_at
    from ${recordset(events)} as row (session_id uuid, seq int, id uuid, type text, sender text, content text, own_words text,
      data jsonb, actor jsonb, language text, created_at timestamptz)
  `.execute(trx);
}

/** Adds tags to sessions. Tags deleted meanwhile are left out. */
export async function insertPastTags(
  trx: Trx,
  orgId: string,
  given: { session_id: string; tag_key: string }[],
): Promise<void> {
  if (given.length === 0) return;
  await sql`
    insert into session_tags (org_id, session_id, tag_key)
    select tag.org_id, row.session_id, tag.tag_key
    from ${recordset(given)} as row (session_id uuid, tag_key text)
    join tags as tag on tag.org_id = ${orgId} and tag.tag_key = row.tag_key
    on conflict do nothing
  `.execute(trx);
}

/** Returns the existing ones among these events. */
export async function listExistingEvents(db: Db, orgId: string, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select id from session_events where org_id = ${orgId} and id = any(${ids}::uuid[])
  `.execute(db);
  return rows.map(({ id }) => id);
}

export interface StoredSession {
  id: string;
  status: SessionStatus;
  assignee_id: number | null;
  team_id: string | null;
  last_seq: number;
  language: string | null;
}

/** Finds sessions and locks them, in order of id, until the transaction ends. */
export async function lockPastSessions(trx: Trx, orgId: string, ids: string[]): Promise<StoredSession[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<StoredSession>`
    select id, status, assignee_id, team_id, last_seq, language from sessions
    where org_id = ${orgId} and id = any(${ids}::uuid[]) order by id for no key update
  `.execute(trx);
  return rows;
}
