import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '../db/connect.ts';
import { sendWithCommit } from '../db/connections/pipeline.ts';
import { CURRENT_POSITION, NEXT_POSITION } from '../db/positions.ts';
import { notifyAfterCommit } from '../db/transaction.ts';
import { type Announcement, announcementOf, announcing, rowsOf } from '../outbox/announcing.ts';
import type { Actor } from '../schemas/actor.ts';
import type { EventType, Sender } from './history/events.schema.ts';
import { LIVE_CHANNEL } from './live/rules.ts';
import type { WaitingOn } from './table.ts';

export interface NewEvent {
  id: string;
  type: EventType;
  sender?: Sender;
  content?: string;
  /** The contact's own words in it, if not the whole content. */
  own_words?: string | undefined;
  data?: object;
  /** True for greetings, and for the events of a blocked contact: they are stored, and nobody reacts to them. */
  isIgnored?: boolean;
  /** The actor. `actorOf` finds an absent one. */
  actor?: Actor;
  /** Of a handoff: whether a person has replied to the contact already. Of a return to the AI: whether anybody has. */
  isAnswered?: boolean;
}

/** SQL: the text of an event, or the contact's own words in it. */
export const OWN_WORDS = sql<string | null>`coalesce(own_words, content)`;

/** The party expected to reply after each sender's message. System messages change nothing. */
const WAITING_ON: Record<Sender, WaitingOn | null> = {
  contact: 'human_agents',
  human_agent: 'customers',
  ai: 'customers',
  system: null,
};

/**
 * SQL: the position of a session's next event. A position not reached yet by this server stems from another server with
 * a restored dump.
 */
const NEXT_EVENT_XID = sql`greatest(${CURRENT_POSITION}, case when last_event_xid < ${NEXT_POSITION} then last_event_xid end)`;

interface Appended {
  events: NewEvent[];
  /** The events' meaning for others. Announced if the events are written. */
  announcements: Announcement[];
  /** Whether no event can have one of the ids, as they were made in this transaction. */
  areNew?: boolean;
  /** The language of the session, if these are its first events. */
  language?: string | undefined;
}

/**
 * Appends events to a session in order, announces their meaning for others, and advances the session's timestamps,
 * never backwards. Returns whether they were written. If one of the ids already exists, nothing changes, so the call
 * can be repeated. New events are sent without waiting for the answer: if they are not written, the transaction fails.
 */
export async function appendEvents(trx: Trx, orgId: string, sessionId: string, appended: Appended): Promise<boolean> {
  const statement = appendStatement(orgId, sessionId, appended);
  const isAnnouncing = appended.announcements.length > 0;
  if (appended.areNew === true) {
    const sent = sendWithCommit(trx, statement);
    await (isAnnouncing ? announcing(trx, sent) : sent);
  } else {
    const executed = statement.execute(trx);
    const { rows } = await (isAnnouncing ? announcing(trx, executed) : executed);
    if (rows.length === 0) return false;
  }
  notifyAfterCommit(trx, LIVE_CHANNEL, `${orgId}/${sessionId}`);
  return true;
}

/**
 * SQL: appends events to a session, and returns the ids of those written. The caller must have locked the session, so
 * this statement sees all earlier writes to it. Therefore a `last_event_xid` not reached yet by this server stems from
 * another server, from before a restore, and is ignored.
 */
function appendStatement(orgId: string, sessionId: string, { events, announcements, language, areNew }: Appended) {
  const spoken = language === undefined ? sql`` : sql`, language = ${language}`;
  const announced = sql`, announced as (${announcementOf(rowsOf(orgId, announcements))} where exists (select from appended))`;
  const noneExists = sql`
        and not exists (select from session_events where org_id = ${orgId} and id = any(${events.map(({ id }) => id)}::uuid[]))`;
  return sql<{ id: string }>`
    with session as (
      update sessions set ${changesBy(events)}${spoken}
      where org_id = ${orgId} and id = ${sessionId}${areNew === true ? sql`` : noneExists}
      returning org_id, id, contact_id, language, last_seq, last_event_xid
    ), appended as (
      insert into session_events (org_id, session_id, seq, id, type, sender, content, own_words, data, actor, xid, language)
      select session.org_id, session.id, session.last_seq - ${events.length}::integer + event.ordinality, event.id, event.type, event.sender,
        event.content, event.own_words, coalesce(event.data, '{}'),
        ${withContactOf(sql`event.actor`)}, session.last_event_xid, session.language
      from session cross join rows from (
        jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
          as (id uuid, type text, sender text, content text, own_words text, data jsonb, actor jsonb)
      ) with ordinality as event (id, type, sender, content, own_words, data, actor, ordinality)
      on conflict (org_id, id) do nothing
      returning id
    )${announcements.length > 0 ? announced : sql``}
    select id from appended
  `;
}

/** SQL: the contact of `session` as an actor. */
export const CONTACT_ACTOR = sql`jsonb_build_object('kind', 'contact', 'id', session.contact_id, 'name', null)`;
const SYSTEM_ACTOR = sql`jsonb_build_object('kind', 'system', 'id', null, 'name', null)`;

/** SQL: an actor with the contact's id of `session` if it is the contact. */
export const withContactOf = (actor: RawBuilder<unknown>) =>
  sql`case when ${actor} ->> 'kind' = 'contact' then ${actor} || jsonb_build_object('id', session.contact_id) else ${actor} end`;

type Kind = Pick<NewEvent, 'type' | 'sender' | 'data' | 'isIgnored' | 'isAnswered'>;

/** SQL: the events' changes in the row of their session. */
export function changesBy(events: Kind[]): RawBuilder<unknown> {
  const waitingOn = waitingOnAfter(events);
  const hasMessage = hasType(events, 'message', 'workflow_message');
  return sql`last_seq = last_seq + ${events.length}::integer, updated_at = greatest(updated_at, now()),
    last_message_at = case when ${hasMessage}::boolean then greatest(last_message_at, now()) else last_message_at end,
    last_message_seq = ${lastMessageSeqBy(events)}, waiting_since = ${waitingSinceBy(events, waitingOn)},
    waiting_on = coalesce(${waitingOn}::text, waiting_on), ${activityBy(events)}, ${countedOf(events)}, last_event_xid = ${NEXT_EVENT_XID}`;
}

/** Returns who is expected to reply after the events, null if they change nothing. A person is, from a handoff on. */
function waitingOnAfter(events: Kind[]): WaitingOn | null {
  if (events.some(({ type, isAnswered }) => type === 'handoff' && isAnswered !== true)) return 'human_agents';
  if (events.some(({ type, isAnswered }) => type === 'returned_to_ai' && isAnswered === true)) return 'customers';
  const speaker = events.findLast(({ type, isIgnored }) => type === 'message' && isIgnored !== true)?.sender;
  return speaker === undefined ? null : WAITING_ON[speaker];
}

function lastMessageSeqBy(events: Kind[]): RawBuilder<number> {
  const place = events.findLastIndex(({ type }) => type === 'message' || type === 'workflow_message') + 1;
  return place === 0 ? sql`last_message_seq` : sql`last_seq + ${place}::integer`;
}

/** Nobody waits in a closed session. A reopened one waits from then on, unless a reply came first. */
function waitingSinceBy(events: Kind[], waitingOn: WaitingOn | null): RawBuilder<Date | null> {
  if (waitingOn === 'customers' || events.some(isClosing)) return sql`null`;
  if (waitingOn === 'human_agents')
    return hasType(events, 'message')
      ? sql`coalesce(waiting_since, now())`
      : sql`case when status = 'open' then coalesce(waiting_since, now()) end`;
  return events.some(isReopening)
    ? sql`case when waiting_on = 'human_agents' then coalesce(waiting_since, now()) end`
    : sql`waiting_since`;
}

/** SQL: the depth of this transaction's work. */
const DEPTH = sql`coalesce(nullif(current_setting('switchboard.depth', true), '')::integer, 0)`;

/**
 * A message of a workflow does not end the inactivity of a session: it is kept apart from the last counted activity.
 */
function activityBy(events: Kind[]): RawBuilder<unknown> {
  const isActive = hasType(events, 'message') || events.some(isReopening);
  const isAutomatic = hasType(events, 'workflow_message');
  return sql`active_at = case when ${isActive}::boolean then greatest(active_at, now())
      when ${isAutomatic}::boolean then coalesce(active_at, created_at) else active_at end,
    active_depth = case when ${isActive}::boolean then ${DEPTH} else active_depth end`;
}

const isReopening = ({ type, data = {} }: Kind): boolean =>
  type === 'status_changed' && 'to' in data && data.to === 'open' && 'from' in data && data.from !== 'open';

const isClosing = ({ type, data = {} }: Kind): boolean =>
  type === 'status_changed' && 'to' in data && data.to !== 'open';

/** The senders of messages counted by a session, and the names of their columns. */
const COUNTED = [
  ['contact', 'contact'],
  ['ai', 'ai'],
  ['human_agent', 'agent'],
] as const;

/**
 * Counts the messages of each sender, and records the times of the first ones and of the first handoff, and the `seq` of
 * the contact's last one.
 */
function countedOf(events: Kind[]): RawBuilder<unknown> {
  const handoff = firstTime('first_handoff_at', hasType(events, 'handoff'));
  const bySender = COUNTED.map(([sender, name]) => {
    const count = events.filter((event) => event.type === 'message' && event.sender === sender).length;
    const messages = sql.ref(`${name}_messages`);
    return sql`${messages} = ${messages} + ${count}::integer, ${firstTime(`first_${name}_message_at`, count > 0)}`;
  });
  const index = events.findLastIndex(({ sender }) => sender === 'contact') + 1;
  const last = sql`last_contact_seq = case when ${index > 0}::boolean then last_seq + ${index}::integer else last_contact_seq end`;
  return sql.join([handoff, last, ...bySender]);
}

const firstTime = (column: string, isNow: boolean) =>
  sql`${sql.ref(column)} = case when ${isNow}::boolean then coalesce(${sql.ref(column)}, now()) else ${sql.ref(column)} end`;

const hasType = (events: Kind[], ...types: EventType[]) => events.some(({ type }) => types.includes(type));

/** A message to append to one of several sessions. */
export interface AutomaticMessage {
  id: string;
  session_id: string;
  content: string;
  data: object;
}

/**
 * Appends messages without a speaker to their sessions, in order: the time of a session's last message and the awaited
 * side stay unchanged. Existing messages are left out, so the call can be repeated. Returns those written. The caller
 * must have locked the sessions.
 */
export async function appendSequenceMessages(
  trx: Trx,
  orgId: string,
  messages: AutomaticMessage[],
): Promise<Pick<AutomaticMessage, 'id' | 'session_id'>[]> {
  const { rows } = await sql<Pick<AutomaticMessage, 'id' | 'session_id'>>`
    with message as (
      select given.*, row_number() over (partition by given.session_id order by given.id) as place,
        count(*) over (partition by given.session_id) as of_session
      from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as given (id uuid, session_id uuid, content text, data jsonb)
      where not exists (select from session_events as known where known.org_id = ${orgId} and known.id = given.id)
    ), session as (
      update sessions as session set last_seq = last_seq + message.of_session::integer, updated_at = greatest(updated_at, now()),
        last_event_xid = ${NEXT_EVENT_XID}
      from message where session.org_id = ${orgId} and session.id = message.session_id and message.place = 1
      returning session.org_id, session.id, session.language, session.last_seq, session.last_event_xid, message.of_session
    )
    insert into session_events (org_id, session_id, seq, id, type, content, data, actor, xid, language)
    select session.org_id, session.id, session.last_seq - session.of_session + message.place, message.id, 'sequence_message',
      message.content, message.data, ${SYSTEM_ACTOR}, session.last_event_xid, session.language
    from session join message on message.session_id = session.id
    on conflict (org_id, id) do nothing
    returning id, session_id
  `.execute(trx);
  for (const { session_id } of rows) notifyAfterCommit(trx, LIVE_CHANNEL, `${orgId}/${session_id}`);
  return rows;
}
