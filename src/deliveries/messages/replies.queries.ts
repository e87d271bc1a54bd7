import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { Channel } from '../contract.ts';

/** A message of a contact, as far as its answer needs it. */
export interface AnsweredMessage {
  /** The number or address that it came to. */
  to: string;
  /** The provider's id of that number, if messages are sent by it. */
  to_id: string | null;
  /** Of an e-mail: its Message-ID, if it has one. */
  provider_id: string;
  subject: string | null;
  /** The Message-IDs of its thread before it. */
  thread: string[] | null;
  /** Who it is from, and the address that they want answers at, if it is another one. */
  from: string;
  reply_to: string | null;
  /** Who else has it. */
  cc: string[] | null;
  /** The inbox that it came to. */
  inbox_id: string | null;
  /** The delivery that it replies to, if it names one. */
  delivery_id: string | null;
}

const ANSWERED = [
  'inbound.to',
  'inbound.to_id',
  'inbound.provider_id',
  'inbound.subject',
  'inbound.thread',
  'inbound.from',
  'inbound.reply_to',
  'inbound.cc',
  'inbound.inbox_id',
  'inbound.delivery_id',
] as const;

/** Finds the last message of a session that came in through the channel's provider. */
export const findLastInbound = (
  db: Db,
  orgId: string,
  { sessionId, channel }: { sessionId: string; channel: Channel },
): Promise<AnsweredMessage | undefined> =>
  db
    .selectFrom('session_events as event')
    .innerJoin('inbound_messages as inbound', (join) =>
      join.onRef('inbound.org_id', '=', 'event.org_id').onRef('inbound.id', '=', 'event.id'),
    )
    .select(ANSWERED)
    .where('event.org_id', '=', orgId)
    .where('event.session_id', '=', sessionId)
    .where('event.sender', '=', 'contact')
    .where('inbound.channel', '=', channel)
    .orderBy('event.seq', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Finds the inbox of the last message of a session that came to one. */
export const findInboxOfSession = async (db: Db, orgId: string, sessionId: string): Promise<string | undefined> => {
  const row = await db
    .selectFrom('session_events as event')
    .innerJoin('inbound_messages as inbound', (join) =>
      join.onRef('inbound.org_id', '=', 'event.org_id').onRef('inbound.id', '=', 'event.id'),
    )
    .select('inbound.inbox_id')
    .where('event.org_id', '=', orgId)
    .where('event.session_id', '=', sessionId)
    .where('inbound.inbox_id', 'is not', null)
    .orderBy('event.seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.inbox_id ?? undefined;
};

/** Finds the last message of a contact on a channel, in any session. */
export const findLastInboundOfContact = (
  db: Db,
  orgId: string,
  { contactId, channel }: { contactId: string; channel: Channel },
): Promise<AnsweredMessage | undefined> =>
  db
    .selectFrom('inbound_messages as inbound')
    .select(ANSWERED)
    .where('inbound.org_id', '=', orgId)
    .where('inbound.contact_id', '=', contactId)
    .where('inbound.channel', '=', channel)
    .orderBy('inbound.received_at', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Whether a contact has written on a channel in the last 24 hours. */
export async function hasWrittenLately(
  db: Db,
  orgId: string,
  { contactId, channel }: { contactId: string; channel: Channel },
): Promise<boolean> {
  const row = await db
    .selectFrom('inbound_messages')
    .select('id')
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .where('channel', '=', channel)
    .where('is_reply', '=', true)
    .where('received_at', '>', sql<Date>`now() - interval '24 hours'`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

const MAX_DELIVERIES = 1_000;
const MAX_SENDERS = 20;
const SENDER = sql<string>`coalesce(delivery.sender, delivery.content->>'from_email')`;
/** SQL: whether a `delivery` went out, or is a single message that is about to. */
const GOES_OUT = sql<SqlBool>`(delivery.sent_at is not null or (delivery.sequence_id is null and delivery.status in ('queued', 'sending')))`;

const selectSenders = (db: Db, orgId: string, channel: Channel) =>
  db
    .selectFrom('deliveries as delivery')
    .select(SENDER.as('sender'))
    .where('delivery.org_id', '=', orgId)
    .where('delivery.channel', '=', channel)
    .where(SENDER, 'is not', null);

/** Finds the sender of a delivery on a channel. */
export const findSender = async (
  db: Db,
  orgId: string,
  { deliveryId, channel }: { deliveryId: string; channel: Channel },
): Promise<string | undefined> =>
  (await selectSenders(db, orgId, channel).where('delivery.id', '=', deliveryId).executeTakeFirst())?.sender;

/** Finds the sender of the last message of a session that went out, or is about to. Those of sequences do not count. */
export const findSenderInSession = async (
  db: Db,
  orgId: string,
  { sessionId, channel }: { sessionId: string; channel: Channel },
): Promise<string | undefined> => {
  const row = await selectSenders(db, orgId, channel)
    .innerJoin('session_events as event', (join) =>
      join.onRef('event.org_id', '=', 'delivery.org_id').onRef('event.id', '=', 'delivery.id'),
    )
    .where('event.org_id', '=', orgId)
    .where('event.session_id', '=', sessionId)
    .where('event.type', 'in', ['message', 'workflow_message'])
    .where(GOES_OUT)
    .orderBy('event.seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.sender;
};

/** Lists the senders of messages to a contact that went out, or are about to, the last one first. */
export const listSendersTo = (
  db: Db,
  orgId: string,
  { contactId, channel }: { contactId: string; channel: Channel },
): Promise<string[]> =>
  listSenders(
    db,
    sql`
      select ${SENDER} as sender, coalesce(delivery.sent_at, delivery.created_at) as at from deliveries as delivery
      where delivery.org_id = ${orgId} and delivery.contact_id = ${contactId} and delivery.channel = ${channel} and ${GOES_OUT}`,
  );

/** Lists the senders of the org's last messages on a channel, the last one first. */
export const listLastSenders = (db: Db, orgId: string, channel: Channel): Promise<string[]> =>
  listSenders(
    db,
    sql`
      select ${SENDER} as sender, delivery.created_at as at from deliveries as delivery
      where delivery.org_id = ${orgId} and delivery.channel = ${channel} and ${SENDER} is not null`,
  );

/** Lists the senders of the last rows by `at`, each once. */
async function listSenders(db: Db, messages: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ sender: string }>`
    select sender from (${messages} order by at desc limit ${MAX_DELIVERIES}) as recent
    where sender is not null group by sender order by max(at) desc limit ${MAX_SENDERS}
  `.execute(db);
  return rows.map(({ sender }) => sender);
}
