import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import type { Db, Trx } from '../db/connect.ts';
import { compiledOnce } from '../db/connections/compiled-once.ts';
import { sendAhead } from '../db/connections/pipeline.ts';
import { lockName, lockNames } from '../db/locks.ts';
import { CURRENT_POSITION } from '../db/positions.ts';
import { inRange, type RangePageRequest } from '../db/ranges.ts';
import { notifyAfterCommit } from '../db/transaction.ts';
import { newId } from '../ids.ts';
import type { Actor } from '../schemas/actor.ts';
import type { SessionChannel } from '../schemas/parts.ts';
import { withContactOf } from './events.queries.ts';
import { changedHint, LIVE_CHANNEL } from './live/rules.ts';
import type { AiState, AnsweredBy, ListSessions } from './sessions/schema.ts';
import type { SessionsTable, SlaMetric } from './table.ts';
import { NO_CONTACT, REFUSALS, WINDOW_REFUSAL } from './transport.rules.ts';

type NewSessionRow = Pick<
  Insertable<SessionsTable>,
  'id' | 'contact_id' | 'channel' | 'verified' | 'relayed_side' | 'assist_mode' | 'ai_state' | 'language'
>;

/**
 * Inserts sessions with the org's next ticket numbers, in order, and for each the event `session_created` for the org's
 * live events. Concurrent inserts of the org wait until this transaction has ended, so numbers have no gaps. The event
 * comes before the first of the history, as `seq` 0.
 */
export async function insertSessions(trx: Trx, orgId: string, sessions: NewSessionRow[], actor: Actor): Promise<void> {
  const rows = sessions.map((session) => ({ ...session, event_id: newId() }));
  await sendAhead(
    trx,
    sql`
    with counter as (
      insert into ticket_counters as counter (org_id, last_number) values (${orgId}, ${rows.length}::integer)
      on conflict (org_id) do update set last_number = counter.last_number + excluded.last_number
      returning last_number
    ), new as materialized (
      select * from rows from (
        jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as (id uuid, event_id uuid, contact_id uuid, channel text, verified boolean, relayed_side text, assist_mode boolean, ai_state text,
            language text)
      ) with ordinality as new (id, event_id, contact_id, channel, verified, relayed_side, assist_mode, ai_state, language, place)
    ), session as (
      insert into sessions (org_id, id, ticket_number, contact_id, channel, verified, relayed_side, assist_mode, ai_state, language, last_event_xid)
      select ${orgId}::uuid, id, last_number - ${rows.length}::integer + place, contact_id, channel, verified, relayed_side,
        coalesce(assist_mode, false), coalesce(ai_state, 'off'), language, ${CURRENT_POSITION}
      from counter cross join new order by place
      returning org_id, id, contact_id, ticket_number, channel, last_event_xid
    )
    insert into session_events (org_id, session_id, seq, id, type, data, actor, xid)
    select session.org_id, session.id, 0, new.event_id, 'session_created',
      jsonb_build_object('channel', jsonb_build_object('type', session.channel), 'ticket_number', ticket_number),
      ${withContactOf(sql`${JSON.stringify(actor)}::jsonb`)}, last_event_xid
    from session join new on new.id = session.id
  `,
  );
  for (const { id } of rows) notifyAfterCommit(trx, LIVE_CHANNEL, `${orgId}/${id}`);
}

const selectForUpdate = (db: Db, orgId: string) =>
  db
    .selectFrom('sessions')
    .select([
      'id',
      'contact_id',
      'channel',
      'status',
      'custom_status_id',
      'handoff',
      'assignee_id',
      'team_id',
      'queued_at',
      'language',
    ])
    .select([
      'ticket_number',
      'custom_data',
      'editable_custom_data',
      'session_closed_payload',
      'resolutions',
      'handoffs',
      'relayed_side',
      'has_sla',
    ])
    .select([
      'updated_at',
      'ai_state',
      'ai_context_seq',
      'assist_mode',
      'verified',
      'last_seq',
      'snoozed_at',
      'snoozed_until',
    ])
    .where('org_id', '=', orgId)
    .forNoKeyUpdate();

const sessionForUpdate = compiledOnce(({ orgId, id }: { orgId: string; id: string }, db) =>
  selectForUpdate(db, orgId).where('id', '=', id),
);

/** Finds a session and locks it until the transaction ends. */
export const findSessionForUpdate = async (trx: Trx, orgId: string, id: string) =>
  (await trx.executeQuery(sessionForUpdate(trx, { orgId, id }))).rows[0];

/** Finds sessions and locks them, in order of id, until the transaction ends. */
export const findSessionsForUpdate = (trx: Trx, orgId: string, ids: string[]) =>
  selectForUpdate(trx, orgId).where('id', 'in', ids).orderBy('id').execute();

/** Serializes the incoming messages of a contact, so two of them do not open a session each. */
export async function lockConversation(trx: Trx, orgId: string, contactId: string): Promise<void> {
  await lockName(trx, conversationOf(orgId, contactId));
}

/** Serializes the incoming messages of several contacts like lockConversation. */
export const lockConversations = (trx: Trx, orgId: string, contactIds: string[]): Promise<void> =>
  lockNames(
    trx,
    contactIds.map((contactId) => conversationOf(orgId, contactId)),
  );

const conversationOf = (orgId: string, contactId: string) => `conversation ${orgId} ${contactId}`;

/** SQL: the order of a contact's sessions on a channel. Messages go to the first one: open ones come before closed ones. */
const CURRENT_FIRST = sql`(status = 'open') desc, created_at desc, id desc`;

/** Finds the contact's current session on a channel, or else the newest one, and locks it until the transaction ends. */
export const findCurrentSessionForUpdate = (trx: Trx, orgId: string, contactId: string, channel: SessionChannel) =>
  selectForUpdate(trx, orgId)
    .where('contact_id', '=', contactId)
    .where('channel', '=', channel)
    .orderBy(CURRENT_FIRST)
    .limit(1)
    .executeTakeFirst();

/**
 * Finds for each contact the session on a channel, as findCurrentSessionForUpdate does, and locks them in order of id
 * until the transaction ends. Contacts without a session are left out.
 */
export async function lockCurrentSessions(
  trx: Trx,
  orgId: string,
  { channel, contactIds }: { channel: SessionChannel; contactIds: string[] },
): Promise<{ id: string; contact_id: string }[]> {
  const { rows } = await sql<{ id: string; contact_id: string }>`
    select id, contact_id from sessions where org_id = ${orgId} and id in (
      select current.id from unnest(${contactIds}::uuid[]) as contact (id) cross join lateral (
        select session.id from sessions as session
        where session.org_id = ${orgId} and session.contact_id = contact.id and channel = ${channel}
        order by ${CURRENT_FIRST} limit 1
      ) as current
    )
    order by id for no key update
  `.execute(trx);
  return rows;
}

export type LockedSession = NonNullable<Awaited<ReturnType<typeof findSessionForUpdate>>>;

/** Finds the session of a message. */
export function findSessionOfMessage(db: Db, orgId: string, messageId: string) {
  return db
    .selectFrom('session_events')
    .select('session_id as id')
    .where('org_id', '=', orgId)
    .where('id', '=', messageId)
    .executeTakeFirst();
}

/**
 * SQL: the names of the tags of `session` meeting a condition about `given`. Their keys come in order from an index, and
 * each name by its key. A join of the two sorts them again.
 */
export const tagNamesWhere = (condition: RawBuilder<boolean>) => sql<string[]>`array(
  select (select tag.tag_name from tags as tag where tag.org_id = given.org_id and tag.tag_key = given.tag_key)
  from session_tags as given
  where given.org_id = session.org_id and given.session_id = session.id and ${condition} order by given.tag_key
)`;
/** SQL: the names of all tags of `session`. */
export const TAG_NAMES = tagNamesWhere(sql`true`);

/** SQL: the answering side in `session`. */
export const ANSWERED_BY = sql<AnsweredBy>`case
  when session.assignee_id is not null or session.relayed_side in ('agents', 'both') then 'people'
  when session.ai_state = 'on' and not session.assist_mode then 'ai' else 'nobody' end`;

/** SQL: whether the AI may speak in `session`, with its turn under way. */
const AI_NOW = sql<{ state: AiState; turn_id: string | null; label: string | null }>`(
  select jsonb_build_object('state', session.ai_state, 'turn_id', max(turn.data ->> 'id'), 'label', max(turn.data ->> 'label'))
  from (
    select data from session_events where org_id = session.org_id and session_id = session.id and type = 'ai_turn'
    order by seq desc limit 1
  ) as turn where turn.data ->> 'state' in ('waiting', 'running')
)`;

/** SQL: the last item of `session` read by a member. A program reads none. */
export const readUpTo = (memberId: number | null) =>
  memberId === null
    ? sql<string | null>`null::uuid`
    : sql<string | null>`(
  select item.id from session_reads as mark join session_events as item
    on item.org_id = mark.org_id and item.session_id = mark.session_id and item.seq between 1 and mark.read_seq
  where mark.org_id = session.org_id and mark.session_id = session.id and mark.user_id = ${memberId}::bigint
    and item.type <> 'ai_turn'
  order by item.seq desc limit 1
)`;

/**
 * SQL: whether a reply in `session` to its `contact` could be delivered, and why it could not. `offset 0` has Postgres plan
 * the reason once.
 */
const CAN_SEND = sql<{ ok: boolean; reason: string | null }>`(
  select jsonb_build_object('ok', refusal.reason is null, 'reason', refusal.reason) from (select case
    when session.relayed_side in ('customer', 'both') then null
    when ${REFUSALS.channel}::jsonb ->> session.channel is not null then ${REFUSALS.channel}::jsonb ->> session.channel
    when ${REFUSALS.address}::jsonb ->> session.channel is null then null
    when contact.id is null then ${NO_CONTACT}
    when session.channel = 'email' and contact.email is not null then null
    when session.channel in ('sms', 'whatsapp') and contact.phone_number is not null then null
    when session.channel = 'whatsapp' and exists (
      select from whatsapp_users as writer where writer.org_id = session.org_id and writer.contact_id = contact.id
    ) then null
    when session.channel in ('messenger', 'instagram') and exists (
      select from channel_users as writer
      where writer.org_id = session.org_id and writer.contact_id = contact.id and writer.channel = session.channel
    ) then case when not exists (
      select from inbound_messages as written
      where written.org_id = session.org_id and written.contact_id = contact.id and written.channel = session.channel
        and written.is_reply and written.received_at > now() - interval '24 hours'
    ) then ${WINDOW_REFUSAL} end
    when session.channel = 'slack' and exists (
      select from session_threads as thread where thread.org_id = session.org_id and thread.session_id = session.id
    ) then null
    else ${REFUSALS.address}::jsonb ->> session.channel
  end as reason offset 0) as refusal
)`;

/** Selects sessions in the API's format, as a member or a program sees them, for callers to narrow down. */
export const selectSessions = (db: Db, orgId: string, memberId: number | null = null) =>
  db
    .selectFrom('sessions as session')
    .leftJoin('contacts as contact', (join) =>
      join.onRef('contact.org_id', '=', 'session.org_id').onRef('contact.id', '=', 'session.contact_id'),
    )
    .leftJoin('teams as team', (join) =>
      join
        .onRef('team.org_id', '=', 'session.org_id')
        .onRef('team.id', '=', 'session.team_id')
        .on('team.deleted_at', 'is', null),
    )
    .where('session.org_id', '=', orgId)
    .select(['session.id', 'session.ticket_number', 'session.status', 'session.custom_status_id'])
    .select(['session.ai_closure_type', 'session.sentiment', 'session.assist_mode', 'session.verified'])
    .select([
      'session.waiting_on',
      'session.waiting_since',
      'session.language',
      'session.assignee_id',
      'session.custom_data',
    ])
    .select(['session.editable_custom_data', 'session.summary', 'session.summary_by', 'session.handoff'])
    .select(['session.snoozed_at', 'session.snoozed_until'])
    .select(['session.ticketing_system', 'session.created_at', 'session.updated_at', 'session.last_message_at'])
    .select((eb) => [
      jsonBuildObject({ type: eb.ref('session.channel') }).as('channel'),
      eb
        .case()
        .when('contact.id', 'is not', null)
        .then(
          jsonBuildObject({
            id: eb.ref('contact.id').$notNull(),
            name: eb.ref('contact.name'),
            email: eb.ref('contact.email'),
            phone_number: eb.ref('contact.phone_number'),
            custom_data: eb.ref('contact.custom_data').$notNull(),
          }),
        )
        .end()
        .as('contact'),
      eb
        .case()
        .when('team.id', 'is not', null)
        .then(jsonBuildObject({ id: eb.ref('team.id').$notNull(), name: eb.ref('team.name').$notNull() }))
        .end()
        .as('team'),
      TAG_NAMES.as('tags'),
      ANSWERED_BY.as('answered_by'),
      AI_NOW.as('ai'),
      CAN_SEND.as('can_send'),
      readUpTo(memberId).as('read_up_to'),
    ]);

export const findSession = (db: Db, orgId: string, id: string, memberId: number | null = null) =>
  selectSessions(db, orgId, memberId).where('session.id', '=', id).executeTakeFirst();

/** The owner of the shown marks of reading. */
export interface Reader {
  memberId: number | null;
}

/** Returns the rows of a page, plus one more if there is one. */
export function listSessions(
  db: Db,
  orgId: string,
  { handed_off, status, channel_type, memberId }: ListSessions & Reader,
  page: RangePageRequest,
) {
  return selectSessions(db, orgId, memberId)
    .$if(handed_off !== undefined, (query) => query.where('session.handoff', handed_off ? 'is not' : 'is', null))
    .$call((query) => (status === undefined ? query : query.where('session.status', '=', status)))
    .$call((query) => (channel_type === undefined ? query : query.where('session.channel', '=', channel_type)))
    .$call(inRange(page, 'session'))
    .execute();
}

export type SessionChanges = Omit<
  Updateable<SessionsTable>,
  'org_id' | 'id' | 'resolutions' | 'handoffs' | 'closed_at'
> & {
  /** Records the time of its closing, or its being open. */
  isClosed?: boolean;
  /** Adds one to the number of resolutions. */
  isResolution?: boolean;
  /** Adds one to the number of handoffs. */
  isHandoff?: boolean;
};

/** Changes the given fields. The row must be locked. */
export async function updateSession(
  trx: Trx,
  orgId: string,
  id: string,
  { isResolution = false, isHandoff = false, isClosed, ...changes }: SessionChanges,
): Promise<void> {
  await trx
    .updateTable('sessions')
    .set({
      ...changes,
      ...(isClosed === undefined ? {} : { closed_at: isClosed ? sql<Date>`now()` : null }),
      ...(isResolution ? { resolutions: sql<number>`resolutions + 1` } : {}),
      ...(isHandoff ? { handoffs: sql<number>`handoffs + 1` } : {}),
      updated_at: sql<Date>`greatest(updated_at, now())`,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
  notifyAfterCommit(trx, LIVE_CHANNEL, changedHint({ orgId, sessionId: id }));
}

/** The next due target of a session's SLA clocks. */
export interface SlaTarget {
  sla_metric: SlaMetric | null;
  sla_due_at: Date | null;
  sla_warning_at: Date | null;
}

export const NO_TARGET: SlaTarget = { sla_metric: null, sla_due_at: null, sla_warning_at: null };

/** Sets the next due target of a session. Its row is locked already. */
export async function updateSlaTarget(trx: Trx, orgId: string, id: string, target: SlaTarget): Promise<void> {
  const { numAffectedRows } = await sql`
    update sessions set sla_metric = ${target.sla_metric}, sla_due_at = ${target.sla_due_at}, sla_warning_at = ${target.sla_warning_at}
    where org_id = ${orgId} and id = ${id} and (sla_metric, sla_due_at, sla_warning_at)
      is distinct from (${target.sla_metric}::text, ${target.sla_due_at}::timestamptz, ${target.sla_warning_at}::timestamptz)
  `.execute(trx);
  if ((numAffectedRows ?? 0n) > 0n) notifyAfterCommit(trx, LIVE_CHANNEL, changedHint({ orgId, sessionId: id }));
}

/** Says of sessions whether an SLA policy is assigned to them. Their rows are locked already. */
export async function updateHasSla(trx: Trx, orgId: string, ids: string[], hasSla: boolean): Promise<void> {
  await trx
    .updateTable('sessions')
    .set({ has_sla: hasSla, ...(hasSla ? {} : NO_TARGET) })
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('has_sla', '<>', hasSla)
    .execute();
}

/**
 * Adds tags to a session, and returns the names of the new ones. Automatically applied ones count as given by people
 * from now on.
 */
export async function insertSessionTags(trx: Trx, orgId: string, sessionId: string, keys: string[]): Promise<string[]> {
  const { rows } = await sql<{ tag_name: string }>`
    with confirmed as (
      update session_tags set is_auto = false
      where org_id = ${orgId} and session_id = ${sessionId} and tag_key = any(${keys}::text[]) and is_auto
    ), added as (
      insert into session_tags (org_id, session_id, tag_key)
      select ${orgId}::uuid, ${sessionId}::uuid, unnest(${keys}::text[])
      on conflict do nothing
      returning org_id, tag_key
    )
    select tag.tag_name from added join tags as tag on tag.org_id = added.org_id and tag.tag_key = added.tag_key order by tag.tag_key
  `.execute(trx);
  return rows.map(({ tag_name }) => tag_name);
}

/** Removes a tag from a session, or all of them, and returns the names of the removed ones. */
export async function deleteSessionTags(
  trx: Trx,
  orgId: string,
  sessionId: string,
  key: string | null,
): Promise<string[]> {
  const { rows } = await sql<{ tag_name: string }>`
    with removed as (
      delete from session_tags where org_id = ${orgId} and session_id = ${sessionId} and (${key}::text is null or tag_key = ${key})
      returning org_id, tag_key
    )
    select tag.tag_name from removed join tags as tag on tag.org_id = removed.org_id and tag.tag_key = removed.tag_key order by tag.tag_key
  `.execute(trx);
  return rows.map(({ tag_name }) => tag_name);
}

/** Lists the ticket numbers of sessions by their ids. Each id belongs to the org at the same place. */
export async function listTicketNumbers(db: Db, { orgIds, sessionIds }: { orgIds: string[]; sessionIds: string[] }) {
  const { rows } = await sql<{ id: string; ticket_number: number }>`
    select id, ticket_number from unnest(${orgIds}::uuid[], ${sessionIds}::uuid[]) as session (org_id, id)
    join sessions using (org_id, id)
  `.execute(db);
  return new Map(rows.map(({ id, ticket_number }) => [id, ticket_number]));
}
