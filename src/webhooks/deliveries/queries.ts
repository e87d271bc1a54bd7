import { type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import type { EndpointRef } from '../contract.ts';
import type { ListDeliveries } from './schema.ts';

const COLUMNS = [
  'id',
  'endpoint_id',
  'event_id',
  'event_type',
  'occurred_at',
  'session_id',
  'sequence',
  'status',
  'attempts',
  'next_attempt_at',
  'created_at',
  'updated_at',
] as const;

/** Lists a page of an endpoint's deliveries by creation. */
export function listDeliveries(
  db: Db,
  { orgId, endpointId }: EndpointRef,
  { status, event_type, since }: Pick<ListDeliveries, 'status' | 'event_type' | 'since'>,
  place: PageRequest,
) {
  let query = db
    .selectFrom('webhook_deliveries')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where('endpoint_id', '=', endpointId);
  if (status !== undefined) query = query.where('status', '=', status);
  if (event_type !== undefined) query = query.where('event_type', '=', event_type);
  if (since !== undefined) query = query.where(sql<SqlBool>`created_at >= ${since}::timestamptz`);
  return query.$call(orderedByCreation(place)).execute();
}

export const findShownDelivery = (db: Db, { orgId, endpointId }: EndpointRef, id: string) =>
  db
    .selectFrom('webhook_deliveries')
    .select([...COLUMNS, 'data'])
    .where('org_id', '=', orgId)
    .where('endpoint_id', '=', endpointId)
    .where('id', '=', id)
    .executeTakeFirst();

/** Lists the tries of a delivery, oldest first. */
export const listAttempts = (db: Db, orgId: string, deliveryId: string) =>
  db
    .selectFrom('webhook_attempts')
    .select(['number', 'at', 'status', 'duration_ms', 'answer', 'error', 'next_attempt_at'])
    .where('org_id', '=', orgId)
    .where('delivery_id', '=', deliveryId)
    .orderBy('number')
    .execute();

/** SQL: what makes a delivery wait for its first try again. */
const PENDING_AGAIN = sql`status = 'pending', round_attempts = 0, next_attempt_at = null, updated_at = now()`;

/** Makes a delivery pending again. */
export async function requeueDelivery(trx: Trx, { orgId, endpointId }: EndpointRef, id: string): Promise<void> {
  await sql`
    update webhook_deliveries set ${PENDING_AGAIN}
    where org_id = ${orgId} and endpoint_id = ${endpointId} and id = ${id}
  `.execute(trx);
}

/** Deliveries of events within a period, in some states. */
export interface Recovery {
  since: string;
  until: string | undefined;
  states: string[];
}

const within = ({ orgId, endpointId }: EndpointRef, { since, until, states }: Recovery) => sql`
  org_id = ${orgId} and endpoint_id = ${endpointId} and status = any(${states}::text[])
    and occurred_at >= ${since}::timestamptz and occurred_at < coalesce(${until ?? null}::timestamptz, 'infinity')`;

/** Counts what a recovery would send again, by state. */
export async function countRecoverable(db: Db, endpoint: EndpointRef, recovery: Recovery) {
  const { rows } = await sql<{ status: string; count: number }>`
    select status, count(*) as count from webhook_deliveries where ${within(endpoint, recovery)} group by status
  `.execute(db);
  return rows;
}

/** Makes what a recovery covers pending again, and returns its numbers by the state before. */
export async function requeueDeliveries(trx: Trx, endpoint: EndpointRef, recovery: Recovery) {
  const { rows } = await sql<{ status: string; count: number }>`
    with covered as materialized (
      select id, status from webhook_deliveries where ${within(endpoint, recovery)} order by id for update
    ), requeued as (
      update webhook_deliveries as delivery set ${PENDING_AGAIN} from covered
      where delivery.org_id = ${endpoint.orgId} and delivery.id = covered.id
    )
    select status, count(*) as count from covered group by status
  `.execute(trx);
  return rows;
}
