import { type SqlBool, sql } from 'kysely';
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

/** A request with sends that were due before a loss. */
export interface RequestInDoubt extends RequestRef {
  createdAt: Date;
}

/** SQL: whether a `delivery` was due before a time, at which a database that was lost may have had its outcome. */
const wasDueBefore = (time: Date) => sql<SqlBool>`coalesce(delivery.not_before, (
    select due_at from email_requests as request
    where request.org_id = delivery.org_id and request.id = delivery.email_request_id
  ), delivery.created_at) <= ${time}::timestamptz`;

/** Returns requests like listUnsettledRequests that are in doubt after a restore: with a send that was due before it. */
export async function listRequestsInDoubt(
  db: Db,
  { after, limit, lostUntil }: { after: RequestRef | undefined; limit: number; lostUntil: Date },
): Promise<RequestInDoubt[]> {
  const { rows } = await sql<RequestInDoubt>`
    select org_id as "orgId", coalesce(email_request_id, id) as id, email_request_id is null as "isMessage",
      min(created_at) as "createdAt"
    from deliveries as delivery
    where sequence_id is null and status in ('queued', 'sending') and ${wasDueBefore(lostUntil)}
      and ${after === undefined ? sql`true` : sql`(org_id, coalesce(email_request_id, id)) > (${after.orgId}::uuid, ${after.id}::uuid)`}
    group by 1, 2, 3 order by 1, 2 limit ${limit}
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
 * Ends the queued sends of a request, or those that were due before a time: as `unknown` if they may have gone, otherwise as
 * `canceled`. Returns the numbers of both.
 */
export async function endQueued(
  trx: Trx,
  orgId: string,
  requested: MessageRequest,
  { reason, mayHaveGone, dueBefore }: { reason: string; mayHaveGone: boolean; dueBefore?: Date },
): Promise<{ unknown: number; ended: number }> {
  const { rows } = await sql<{ unknown: number; ended: number }>`
    with ended as (
      update deliveries as delivery set
        status = case when may_have_gone or ${mayHaveGone} then 'unknown' else 'canceled' end,
        look_up_at = case when may_have_gone or ${mayHaveGone} then ${firstReconciliationAt('delivery.channel')} end,
        began_at = coalesce(began_at, created_at), reason = ${reason}, not_before = null, updated_at = now()
      where org_id = ${orgId} and ${isOfRequest(requested)} and status = 'queued'
        and ${dueBefore === undefined ? sql`true` : wasDueBefore(dueBefore)}
      returning status
    )
    select count(*) as ended, count(*) filter (where status = 'unknown') as unknown from ended
  `.execute(trx);
  return rows[0] ?? { unknown: 0, ended: 0 };
}
