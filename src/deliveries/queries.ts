import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../db/cursor.ts';
import { type CreatedWithin, countCreated, inIdOrder, type KeysetPage } from '../db/keyset.ts';
import type { DeliveryStatus } from './contract.ts';
import { type DeliveryFilters, STATUSES_OF } from './ledger/schema.ts';

const COLUMNS = [
  'id',
  'channel',
  'to',
  'status',
  'provider',
  'provider_id',
  'reason',
  'attempts',
  'contact_id',
  'sequence_id',
  'step_id',
  'enrollment_id',
  'sent_at',
  'created_at',
  'updated_at',
] as const;

/** SQL: the final status of a waiting `delivery`: nothing was sent, unless an attempt of it was interrupted. */
export const ENDED_STATUS = sql<DeliveryStatus>`case when delivery.may_have_gone then 'unknown' else 'canceled' end`;

/** SQL: the reason of ENDED_STATUS. A send that may have gone keeps what made that unknown. */
export const endedReason = (reason: string): RawBuilder<string | null> =>
  sql`case when delivery.may_have_gone then delivery.reason else ${reason}::text end`;

export function findDelivery(db: Db, orgId: string, id: string) {
  return db
    .selectFrom('deliveries')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Lists deliveries by id. */
export const listDeliveriesById = (db: Db, orgId: string, ids: string[]) =>
  db
    .selectFrom('deliveries')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();

/** Lists a part of the deliveries in the order of their ids. */
export const listDeliveriesInOrder = (db: Db, orgId: string, page: KeysetPage) =>
  db
    .selectFrom('deliveries')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .$call(inIdOrder(page, 'deliveries'))
    .execute();

export const countDeliveries = (trx: Trx, orgId: string, created: CreatedWithin): Promise<number> =>
  countCreated(trx, trx.selectFrom('deliveries').where('org_id', '=', orgId), { of: 'deliveries', created });

/** SQL: the subject that the org gave to an e-mail. That of a reply has the words of a customer. */
const OWN_SUBJECT = sql<string | null>`case when email_request_id is not null then content ->> 'subject' end`;

/** Finds the reason for a delivery's wait, its provider's responses and its subject. */
export function findDeliveryProgress(db: Db, orgId: string, id: string) {
  return db
    .selectFrom('deliveries')
    .select(['gate', 'not_before', 'answers', OWN_SUBJECT.as('subject')])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

/** The outcome of an entry of `answers` that says which copies of an e-mail were left out, and why. */
export const COPIES_LEFT_OUT = 'copies_left_out';

/** Lists the reports about a delivery, oldest first. */
export function listDeliveryCallbacks(db: Db, orgId: string, deliveryId: string) {
  return db
    .selectFrom('delivery_callbacks')
    .select(['provider', 'status', 'reason', 'received_at'])
    .where('org_id', '=', orgId)
    .where('delivery_id', '=', deliveryId)
    .orderBy('received_at')
    .orderBy('status')
    .execute();
}

/** SQL: what the reasons of deliveries have in common, as the index has it. */
const REASON_GROUP = sql<string>`left(split_part(reason, ':', 1), 100)`;

/** Returns a query for the deliveries that meet all filters. */
export function filteredDeliveries(db: Db, orgId: string, filters: DeliveryFilters) {
  let query = db.selectFrom('deliveries').where('org_id', '=', orgId);
  if (filters.channel !== undefined) query = query.where('channel', '=', filters.channel);
  if (filters.status !== undefined) query = query.where('status', '=', filters.status);
  if (filters.outcome !== undefined) query = query.where('status', 'in', STATUSES_OF[filters.outcome]);
  if (filters.step_id !== undefined) query = query.where(isOfStep(orgId, filters.step_id));
  if (filters.contact_id !== undefined) query = query.where('contact_id', '=', filters.contact_id);
  if (filters.sequence_id !== undefined) query = query.where('sequence_id', '=', filters.sequence_id);
  if (filters.session_id !== undefined) query = query.where(isOfSession(orgId, filters.session_id));
  if (filters.reason !== undefined)
    query = query.where(sql<SqlBool>`${REASON_GROUP} = ${filters.reason} and reason is not null`);
  if (filters.from !== undefined) query = query.where(sql<SqlBool>`created_at >= ${filters.from}::timestamptz`);
  if (filters.to !== undefined) query = query.where(sql<SqlBool>`created_at < ${filters.to}::timestamptz`);
  return query;
}

/** SQL: the delivery is of a step. Indexes begin with the sequence. */
const isOfStep = (orgId: string, stepId: string) => sql<SqlBool>`(step_id = ${stepId}::uuid and sequence_id = (
  select step.sequence_id from sequence_steps as step where step.org_id = ${orgId} and step.id = ${stepId}::uuid
))`;

/** SQL: the delivery is a message of a session, whose event has the same id. */
const isOfSession = (orgId: string, sessionId: string) => sql<SqlBool>`id = any(array(
  select event.id from session_events as event where event.org_id = ${orgId} and event.session_id = ${sessionId}::uuid
))`;

/** Lists a page of deliveries by creation. */
export const listDeliveries = (db: Db, orgId: string, filters: DeliveryFilters, page: PageRequest) =>
  filteredDeliveries(db, orgId, filters).select(COLUMNS).$call(orderedByCreation(page)).execute();

export interface ReasonCount {
  reason: string;
  status: DeliveryStatus;
  count: number;
}

/** Counts the newest deliveries with a reason, at most `limit`, by what their reasons have in common, and by status. */
export async function countReasons(
  db: Db,
  orgId: string,
  { limit, ...filters }: DeliveryFilters & { limit: number },
): Promise<ReasonCount[]> {
  const newest = filteredDeliveries(db, orgId, filters)
    .select(['status', 'reason'])
    .where('reason', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  const { rows } = await sql<ReasonCount>`
    select ${REASON_GROUP} as reason, status, count(*) as count from (${newest}) as newest
    group by 1, 2 order by 3 desc, 1, 2
  `.execute(db);
  return rows;
}

/**
 * Settles an `unknown` delivery. Returns undefined if there is no such delivery. If it was sent, it was sent before it
 * became unknown.
 */
export const settleUnknownDelivery = (db: Db, orgId: string, id: string, outcome: 'sent' | 'failed') =>
  unknownSettled(db, orgId, outcome).where('id', '=', id).returning(COLUMNS).executeTakeFirst();

const unknownSettled = (db: Db, orgId: string, outcome: 'sent' | 'failed') =>
  db
    .updateTable('deliveries')
    .set({
      status: outcome,
      reason: sql<string>`concat('settled by hand', '; it was unknown: ' || reason)`,
      look_up_at: null,
      sent_at: outcome === 'sent' ? sql<Date>`coalesce(sent_at, updated_at)` : null,
      updated_at: sql<Date>`now()`,
    })
    .where('org_id', '=', orgId)
    .where('status', '=', 'unknown');

/** Settles those of some deliveries that are `unknown`, like `settleUnknownDelivery`. Returns their ids. */
export async function settleUnknownDeliveries(
  db: Db,
  orgId: string,
  ids: string[],
  outcome: 'sent' | 'failed',
): Promise<string[]> {
  const rows = await unknownSettled(db, orgId, outcome)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** SQL: the current time in the format of the API's responses: ISO 8601, UTC, milliseconds. */
export const NOW_AS_ISO = sql`to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
