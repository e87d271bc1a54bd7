import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { onlyRow } from '../../db/rows.ts';
import type { Channel, DeliveryStatus } from '../contract.ts';
import { IS_SENDING_PAUSED, LAST_RESUME } from '../pause/shared.queries.ts';
import { COPIES_LEFT_OUT, ENDED_STATUS, endedReason, NOW_AS_ISO } from '../queries.ts';
import type { MessageContent } from './content.ts';
import { interruptedColumns } from './outcomes.queries.ts';

/** Sends requested individually, outside of sequences: those of an e-mail request, or a single message. */
export type MessageRequest = { requestId: string } | { deliveryId: string };

/** SQL: whether a `delivery` is of the request. */
export const isOfRequest = (requested: MessageRequest): RawBuilder<SqlBool> =>
  'requestId' in requested
    ? sql`delivery.email_request_id = ${requested.requestId}::uuid`
    : sql`delivery.id = ${requested.deliveryId}::uuid`;

/** Each copy of a reply goes to somebody who may not know of it: more of them get none. */
const MAX_COPIES = 20;
const TOO_MANY_COPIES = `more than ${MAX_COPIES} copies`;

const CONTACT_DELETED = 'the contact was deleted';

const IS_TRANSACTIONAL = sql<SqlBool>`coalesce((delivery.content->>'is_transactional')::boolean, false)`;

export type ClaimedSend = MessageContent & { id: string; to: string; attempts: number };

/** What waits of a request. */
export interface WaitingSends {
  /** The sends that are due. */
  ids: string[];
  /** Whether an attempt has claimed sends and not settled them. */
  is_interrupted: boolean;
}

/** Returns what waits of a request, at most `limit` sends. */
export async function findWaitingSends(
  db: Db,
  orgId: string,
  requested: MessageRequest,
  limit: number,
): Promise<WaitingSends> {
  return onlyRow(
    await sql<WaitingSends>`
    select coalesce(array_agg(id order by id), '{}') as ids, exists (
      select from deliveries as delivery where org_id = ${orgId} and ${isOfRequest(requested)} and ${IS_CLAIMED}
    ) as is_interrupted
    from (
      select id from deliveries as delivery
      where org_id = ${orgId} and ${isOfRequest(requested)} and status = 'queued' and (not_before is null or not_before <= now())
      order by id limit ${limit}
    ) as due
  `.execute(db),
  );
}

/** SQL: whether an attempt has claimed a delivery and not settled it. */
const IS_CLAIMED = sql<SqlBool>`lease is not null and status not in ('skipped', 'suppressed')`;

/**
 * Defers a single message while an older one to its contact on the channel is in progress, a little longer each time.
 * Messages to one contact thus arrive in the order of their requests. One in progress has no `sent_at`, which leads the
 * index to the few that have not gone.
 */
export async function deferBehindOlder(db: Db, orgId: string, deliveryId: string): Promise<void> {
  await sql`
    update deliveries as delivery
    set not_before = now() + least(interval '1 minute', greatest(interval '1 second', (now() - delivery.created_at) / 4))
    where delivery.org_id = ${orgId} and delivery.id = ${deliveryId} and delivery.status = 'queued'
      and exists (
        select from deliveries as older
        where older.org_id = delivery.org_id and older.contact_id = delivery.contact_id and older.channel = delivery.channel
          and older.request_seq < delivery.request_seq and older.status in ('queued', 'sending') and older.sent_at is null
          and older.sequence_id is null and older.email_request_id is null
      )
  `.execute(db);
}

export interface SendEligibility {
  /** The id of this attempt, stored in its rows. */
  lease: string;
  /** Why nothing can be sent at all, or null. */
  missingSenderReason: string | null;
  /** SQL: whether the address of the e-mail `delivery` is blocked. */
  isAddressBlocked: RawBuilder<SqlBool>;
  /** SQL: whether the `contact` of a delivery is blocked. */
  isContactBlocked: RawBuilder<SqlBool>;
  /** SQL: whether the address of a `copy` of an e-mail is blocked. */
  isCopyBlocked: RawBuilder<SqlBool>;
}

/**
 * Claims queued sends, or ends them if they must not or cannot be sent. Copies of an e-mail that must not be sent are left
 * out of it, and its answers say which and why. Returns the claimed ones: none while the operator has paused all sending.
 */
export async function claimRequested(
  db: Db,
  orgId: string,
  ids: string[],
  { lease, missingSenderReason, isAddressBlocked, isContactBlocked, isCopyBlocked }: SendEligibility,
): Promise<ClaimedSend[]> {
  const { rows } = await sql<ClaimedSend & { status: string }>`
    with decided as (
      select delivery.id, case
          when delivery.contact_deleted then 'canceled'
          when ${isContactBlocked} or delivery.channel = 'email' and ${isAddressBlocked} then 'skipped'
          when suppression.reason is not null then 'suppressed'
          when ${missingSenderReason}::text is not null then 'failed' else 'sending' end as status,
        case when delivery.contact_deleted then ${endedReason(CONTACT_DELETED)}
          else coalesce(suppression.reason, ${missingSenderReason}::text) end as reason,
        case when delivery.content ? 'cc' then (
          select jsonb_build_object('cc', coalesce(jsonb_agg(address order by place) filter (where refused is null), '[]'),
            'left_out', string_agg(address || ': ' || refused, '; ' order by place))
          from (
            select copy.address, copy.place, case when ${isCopyBlocked} then 'blocked' else coalesce((
                select refusal.reason from suppressions as refusal
                where refusal.org_id = delivery.org_id and refusal.channel = 'email' and refusal.address = lower(copy.address)
                  and (not ${IS_TRANSACTIONAL} or refusal.reason = 'bounced')
              ), case when copy.place > ${MAX_COPIES} then ${TOO_MANY_COPIES}::text end) end as refused
            from jsonb_array_elements_text(delivery.content->'cc') with ordinality as copy (address, place)
            offset 0
          ) as judged
        ) end as copies
      from deliveries as delivery
      left join contacts as contact on contact.org_id = delivery.org_id and contact.id = delivery.contact_id
      left join suppressions as suppression on suppression.org_id = delivery.org_id and suppression.channel = delivery.channel
        and suppression.address = delivery."to"
        and (not ${IS_TRANSACTIONAL} or suppression.reason = 'bounced')
      where delivery.org_id = ${orgId} and delivery.id = any(${ids}::uuid[])
        and (delivery.status = 'queued' or (delivery.status = 'sending' and delivery.lease = ${lease}::uuid))
        and not ${IS_SENDING_PAUSED}
      for update of delivery skip locked
    )
    update deliveries set
      status = case when may_have_gone and decided.status <> 'sending' then 'unknown' else decided.status end,
      reason = case decided.status when 'skipped' then 'the contact is blocked' when 'sending' then null else decided.reason end,
      attempts = attempts + case when decided.status = 'sending' and deliveries.status = 'queued' then 1 else 0 end,
      content = case when decided.copies is null then deliveries.content
        else deliveries.content || jsonb_build_object('cc', decided.copies->'cc') end,
      answers = case when decided.status <> 'sending' or decided.copies->>'left_out' is null then deliveries.answers
        else deliveries.answers || jsonb_build_object('attempt', deliveries.attempts + case deliveries.status when 'queued' then 1 else 0 end,
          'at', ${NOW_AS_ISO}, 'outcome', ${COPIES_LEFT_OUT}::text, 'answer', decided.copies->>'left_out') end,
      lease = case when decided.status = 'sending' then ${lease}::uuid end, began_at = now(), updated_at = now()
    from decided
    where deliveries.org_id = ${orgId} and deliveries.id = decided.id
    returning deliveries.id, deliveries.channel, deliveries."to", deliveries.attempts, deliveries.content, deliveries.status
  `.execute(db);
  return rows.filter(({ status }) => status === 'sending');
}

/** Settles the sends of an interrupted attempt. Returns the number of `unknown` ones. */
export async function settleInterruptedRequested(
  db: Db,
  orgId: string,
  requested: MessageRequest,
  lease: string,
): Promise<number> {
  const counted = await sql<{ unknown: number }>`
    with settled as (
      update deliveries as delivery set ${interruptedColumns(IS_TRANSACTIONAL)}
      where org_id = ${orgId} and ${isOfRequest(requested)} and ${IS_CLAIMED} and lease <> ${lease}::uuid
      returning delivery.status
    )
    select count(*) filter (where status = 'unknown') as unknown from settled
  `.execute(db);
  return onlyRow(counted).unknown;
}

/** Milliseconds until the next queued send is due, or null when none is left. */
export async function findNextDueMs(db: Db, orgId: string, requested: MessageRequest): Promise<number | null> {
  const { rows } = await sql<{ ms: number | null }>`
    select extract(epoch from min(coalesce(not_before, now())) - now())::float8 * 1000 as ms from deliveries as delivery
    where org_id = ${orgId} and ${isOfRequest(requested)} and status = 'queued'
  `.execute(db);
  const ms = rows[0]?.ms ?? null;
  return ms === null ? null : Math.max(Math.ceil(ms), 0);
}

export async function findDeliveryChannel(db: Db, orgId: string, deliveryId: string): Promise<Channel | undefined> {
  const row = await db
    .selectFrom('deliveries')
    .select('channel')
    .where('org_id', '=', orgId)
    .where('id', '=', deliveryId)
    .executeTakeFirst();
  return row?.channel;
}

/**
 * Ends a queued send without anything to wait for, if it was requested at least `olderThanMs` ago, and sending was not
 * paused since. Returns whether it did.
 */
export async function failQueued(
  db: Db,
  orgId: string,
  deliveryId: string,
  { reason, olderThanMs = 0 }: { reason: string; olderThanMs?: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('deliveries')
    .set({
      status: sql<DeliveryStatus>`case when may_have_gone then 'unknown' else 'failed' end`,
      reason,
      updated_at: sql<Date>`now()`,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', deliveryId)
    .where('status', '=', 'queued')
    .where(
      sql<boolean>`greatest(created_at, ${LAST_RESUME}) <= now() - ${olderThanMs}::float8 * interval '1 millisecond'`,
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Ends the queued sends to a contact about to be deleted, except those of sequences. One that is being sent ends by its
 * outcome, and is not tried again.
 */
export async function endSendsToContact(trx: Trx, orgId: string, contactId: string): Promise<void> {
  await sql`
    update deliveries as delivery set contact_deleted = true, updated_at = now(),
      reason = case when status = 'queued' then ${endedReason(CONTACT_DELETED)} else reason end,
      status = case when status = 'queued' then ${ENDED_STATUS} else status end
    where org_id = ${orgId} and contact_id = ${contactId} and sequence_id is null and status in ('queued', 'sending')
  `.execute(trx);
}
