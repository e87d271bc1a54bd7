import { type Kysely, sql } from 'kysely';

/**
 * A webhook is stored, and delivered a moment later: each index costs twice. The id is made of the event and the endpoint,
 * so it alone keeps one from being stored twice. One index has all that was not delivered, by status. Only those of
 * sessions have an order.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    alter table webhook_deliveries drop constraint webhook_deliveries_org_id_endpoint_id_event_id_key;
    drop index webhook_deliveries_pending;
    drop index webhook_deliveries_by_status;
    drop index webhook_deliveries_open;
    create index webhook_deliveries_undelivered on webhook_deliveries (org_id, endpoint_id, status, created_at, id, occurred_at)
      where status <> 'delivered';
    create index webhook_deliveries_open on webhook_deliveries (org_id, endpoint_id, session_id, sequence)
      where session_id is not null and status in ('pending', 'retrying');
  `.execute(db);
};
