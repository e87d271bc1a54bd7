import { type SqlBool, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { Position } from '../db/cursor.ts';
import type { ListDeliveries } from './schema.ts';

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

export function findDelivery(db: Db, orgId: string, id: string) {
  return db
    .selectFrom('deliveries')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** What a delivery waits for, and what its provider answered. */
export function findCourse(db: Db, orgId: string, id: string) {
  return db
    .selectFrom('deliveries')
    .select(['gate', 'not_before', 'answers'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

/** What was reported about a delivery, oldest first. */
export function listCallbacks(db: Db, orgId: string, deliveryId: string) {
  return db
    .selectFrom('delivery_callbacks')
    .select(['provider', 'status', 'reason', 'received_at'])
    .where('org_id', '=', orgId)
    .where('delivery_id', '=', deliveryId)
    .orderBy('received_at')
    .orderBy('status')
    .execute();
}

interface DeliveriesPlace extends Omit<ListDeliveries, 'cursor'> {
  after: Position | undefined;
  settled: Date;
}

/** Deliveries by creation, from behind a position, and only those created before `settled`. One row more than the limit, where there is one. */
export function listDeliveries(db: Db, orgId: string, { after, settled, limit, ...filters }: DeliveriesPlace) {
  let query = db.selectFrom('deliveries').select(COLUMNS).where('org_id', '=', orgId).where('created_at', '<', settled);
  if (filters.channel !== undefined) query = query.where('channel', '=', filters.channel);
  if (filters.status !== undefined) query = query.where('status', '=', filters.status);
  if (filters.contact_id !== undefined) query = query.where('contact_id', '=', filters.contact_id);
  if (filters.sequence_id !== undefined) query = query.where('sequence_id', '=', filters.sequence_id);
  if (after !== undefined) query = query.where(sql<SqlBool>`(created_at, id) > (${after.at}, ${after.id}::uuid)`);
  return query
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit + 1)
    .execute();
}

/** Ends a delivery that is `unknown`; undefined where there is none that is. It was sent, if at all, before it became unknown. */
export function settleUnknown(db: Db, orgId: string, id: string, outcome: 'sent' | 'failed') {
  return db
    .updateTable('deliveries')
    .set({
      status: outcome,
      reason: sql<string>`concat('settled by hand', '; it was unknown: ' || reason)`,
      look_up_at: null,
      sent_at: outcome === 'sent' ? sql<Date>`coalesce(sent_at, updated_at)` : null,
      updated_at: sql<Date>`now()`,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('status', '=', 'unknown')
    .returning(COLUMNS)
    .executeTakeFirst();
}
