import { type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import type { EndpointRef } from '../contract.ts';
import type { Recovery } from '../table.ts';
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

/** Lists a page of an endpoint's deliveries by creation. Without states, of all. */
export function listDeliveries(
  db: Db,
  { orgId, endpointId }: EndpointRef,
  { states, event_type, since }: Pick<ListDeliveries, 'event_type' | 'since'> & { states: string[] | undefined },
  page: PageRequest,
) {
  let query = db
    .selectFrom('webhook_deliveries')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where('endpoint_id', '=', endpointId);
  if (states !== undefined) query = query.where(sql<SqlBool>`status = any(${states}::text[])`);
  if (event_type !== undefined) query = query.where('event_type', '=', event_type);
  if (since !== undefined) query = query.where(sql<SqlBool>`created_at >= ${since}::timestamptz`);
  return query.$call(orderedByCreation(page)).execute();
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

/** SQL: whether a delivery of an endpoint was not accepted, and its event is of a period. One index has these. */
const within = ({ orgId, endpointId }: EndpointRef, { since, until }: Pick<Recovery, 'since' | 'until'>) => sql`
  org_id = ${orgId} and endpoint_id = ${endpointId} and status <> 'delivered'
    and occurred_at >= ${since}::timestamptz and occurred_at < ${until}::timestamptz`;

/** Counts what a recovery would send again, by state. */
export async function countRecoverable(db: Db, endpoint: EndpointRef, recovery: Omit<Recovery, 'after'>) {
  const { rows } = await sql<{ status: string; count: number }>`
    select status, count(*) as count from webhook_deliveries
    where ${within(endpoint, recovery)} and status = any(${recovery.states}::text[]) group by status
  `.execute(db);
  return rows;
}

/**
 * Makes the next deliveries of a recovery's first state pending again. Returns their number, and the last one if there
 * was any.
 */
export async function requeueNext(
  trx: Trx,
  endpoint: EndpointRef,
  { after, states, ...period }: Recovery,
  limit: number,
): Promise<{ count: number; last: Recovery['after'] }> {
  const isNext =
    after === null ? sql`true` : sql`(created_at, id) > (${after.created_at}::timestamptz, ${after.id}::uuid)`;
  const { rows } = await sql<{ count: number; created_at: Date; id: string }>`
    with covered as materialized (
      select id, created_at from webhook_deliveries
      where ${within(endpoint, period)} and status = ${states[0]} and ${isNext}
      order by created_at, id limit ${limit} for update
    ), requeued as (
      update webhook_deliveries as delivery set ${PENDING_AGAIN} from covered
      where delivery.org_id = ${endpoint.orgId} and delivery.id = covered.id
    )
    select count(*) over () as count, created_at, id from covered order by created_at desc, id desc limit 1
  `.execute(trx);
  const [last] = rows;
  if (last === undefined) return { count: 0, last: null };
  return { count: last.count, last: { created_at: last.created_at.toISOString(), id: last.id } };
}
