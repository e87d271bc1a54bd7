import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { isOfRequest, type MessageRequest } from './message-requests.queries.ts';
import { firstReconciliationAt } from './outcomes.queries.ts';

/** A single message, or a request for e-mails. */
export interface RequestRef {
  orgId: string;
  id: string;
  isMessage: boolean;
}

/** Returns requests of all orgs with sends that are not settled, behind a request, in a fixed order. */
export async function listUnsettledRequests(
  db: Db,
  after: RequestRef | undefined,
  limit: number,
): Promise<RequestRef[]> {
  const { rows } = await sql<RequestRef>`
    select distinct org_id as "orgId", coalesce(email_request_id, id) as id, email_request_id is null as "isMessage"
    from deliveries
    where sequence_id is null and status in ('queued', 'sending')
      and ${after === undefined ? sql`true` : sql`(org_id, coalesce(email_request_id, id)) > (${after.orgId}::uuid, ${after.id}::uuid)`}
    order by 1, 2 limit ${limit}
  `.execute(db);
  return rows;
}

/**
 * Returns requests like listUnsettledRequests that are in doubt after a restore: with a send that was due before a time, at
 * which the lost database may have had its outcome.
 */
export async function listRequestsInDoubt(
  db: Db,
  { after, limit, lostUntil }: { after: RequestRef | undefined; limit: number; lostUntil: Date },
): Promise<RequestRef[]> {
  const { rows } = await sql<RequestRef>`
    select distinct delivery.org_id as "orgId", coalesce(email_request_id, delivery.id) as id, email_request_id is null as "isMessage"
    from deliveries as delivery
    left join email_requests as request on request.org_id = delivery.org_id and request.id = delivery.email_request_id
    where sequence_id is null and status in ('queued', 'sending')
      and coalesce(not_before, request.due_at, delivery.created_at) <= ${lostUntil}::timestamptz
      and ${after === undefined ? sql`true` : sql`(delivery.org_id, coalesce(email_request_id, delivery.id)) > (${after.orgId}::uuid, ${after.id}::uuid)`}
    order by 1, 2 limit ${limit}
  `.execute(db);
  return rows;
}

/** Returns the milliseconds until a request for e-mails is due. */
export async function findRequestDelay(db: Db, orgId: string, requestId: string): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select greatest(0, ceil(extract(epoch from due_at - now()) * 1000))::float8 as ms from email_requests
    where org_id = ${orgId} and id = ${requestId}
  `.execute(db);
  return rows[0]?.ms ?? 0;
}

/**
 * Ends the queued sends of a request: as `unknown` if they may have gone, otherwise as `canceled`. Returns the numbers of
 * both.
 */
export async function endQueued(
  trx: Trx,
  orgId: string,
  requested: MessageRequest,
  { reason, mayHaveGone }: { reason: string; mayHaveGone: boolean },
): Promise<{ unknown: number; ended: number }> {
  const { rows } = await sql<{ unknown: number; ended: number }>`
    with ended as (
      update deliveries as delivery set
        status = case when may_have_gone or ${mayHaveGone} then 'unknown' else 'canceled' end,
        look_up_at = case when may_have_gone or ${mayHaveGone} then ${firstReconciliationAt('delivery.channel')} end,
        began_at = coalesce(began_at, created_at), reason = ${reason}, not_before = null, updated_at = now()
      where org_id = ${orgId} and ${isOfRequest(requested)} and status = 'queued'
      returning status
    )
    select count(*) as ended, count(*) filter (where status = 'unknown') as unknown from ended
  `.execute(trx);
  return rows[0] ?? { unknown: 0, ended: 0 };
}
