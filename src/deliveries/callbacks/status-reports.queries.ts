import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { newId } from '../../ids.ts';
import { announcing } from '../../outbox/announcing.ts';
import { NOW_AS_ISO } from '../queries.ts';
import { type ReportedStatus, statusesBefore } from '../sending/outcomes.rules.ts';
import { SUPPRESS_REFUSED } from '../suppressions/shared.queries.ts';

/** A later report about a delivery, from a provider or a bounced e-mail. */
export interface StatusUpdate {
  provider: string;
  providerId: string;
  /** Our own id, if the report carries it. */
  deliveryId: string | undefined;
  status: ReportedStatus;
  reason: string | null;
  /** Why the address is to be suppressed on the channel, or null. */
  suppression: 'bounced' | 'unsubscribed' | null;
}

/**
 * Applies reports of one status, each once. A repeated report changes nothing, and neither does a status that the
 * delivery has passed. A report may arrive before the provider's response to the send. It then changes the status of
 * the delivery, and the response still settles the attempt.
 */
export async function applyStatusUpdates(
  db: Db,
  orgId: string,
  status: ReportedStatus,
  reports: StatusUpdate[],
): Promise<void> {
  const column = <T>(pick: (report: StatusUpdate) => T) => reports.map(pick);
  const received = sql`
    with report as materialized (
      select * from unnest(${column(({ provider }) => provider)}::text[], ${column(({ providerId }) => providerId)}::text[],
        ${column(({ deliveryId }) => deliveryId ?? null)}::uuid[], ${column(({ reason }) => reason)}::text[],
        ${column(({ suppression }) => suppression)}::text[], ${reports.map(newId)}::uuid[]
      ) as report (provider, provider_id, delivery_id, reason, suppression, suppression_id)
    ),
    found as (
      select distinct on (id) * from (
        select delivery.id, report.* from report
        join deliveries as delivery on delivery.org_id = ${orgId} and delivery.id = report.delivery_id
        union all
        select delivery.id, report.* from report
        join deliveries as delivery on delivery.org_id = ${orgId} and delivery.provider = report.provider
          and delivery.provider_id = report.provider_id
        where report.delivery_id is null
      ) as known
    ),
    noted as (
      insert into delivery_callbacks (org_id, provider, provider_id, status, delivery_id, reason)
      select ${orgId}::uuid, provider, provider_id, ${status}, id, reason from found
      on conflict do nothing
    ),
    moved as (
      update deliveries as delivery set status = ${status}, reason = found.reason, look_up_at = null, updated_at = now(),
        provider = coalesce(delivery.provider, found.provider), provider_id = coalesce(delivery.provider_id, found.provider_id),
        sent_at = coalesce(delivery.sent_at, case when ${status} in ('sent', 'delivered', 'read') then now() end)
      from found
      where delivery.org_id = ${orgId} and delivery.id = found.id and delivery.status = any(${statusesBefore(status)}::text[])
      returning delivery.org_id, delivery.channel, delivery."to", found.suppression, found.suppression_id
    ),
    refused as (select * from moved where suppression is not null)
    ${SUPPRESS_REFUSED}
  `;
  await announcing(db, received.execute(db)); // triggers of the database announce what has changed
}

/** SQL: the content of a `delivery` without its files, with the text that has links in their place. */
const WITHOUT_FILES = sql`case
  when delivery.content->'file' ? 'otherText' then delivery.content - 'file' || jsonb_build_object('text', delivery.content->'file'->'otherText')
  when delivery.content ? 'media' then delivery.content - 'media' || jsonb_build_object('body', delivery.content->'media'->'text')
end`;

/** A delivery whose files a provider has refused. */
export interface RefusedFiles {
  id: string;
  /** `requeued`: it waits with links now. `sending`: its attempt is not settled yet. `text`: it had no files any more. */
  state: 'requeued' | 'sending' | 'text';
}

/**
 * Has messages wait again, with links in place of the files that their provider has accepted and then refused. Redacted
 * messages, and those whose files have no links, are left out.
 */
export async function requeueWithoutFiles(
  trx: Trx,
  orgId: string,
  reports: Pick<StatusUpdate, 'deliveryId' | 'reason'>[],
): Promise<RefusedFiles[]> {
  const { rows } = await sql<RefusedFiles>`
    with report as (
      select * from unnest(${reports.map(({ deliveryId }) => deliveryId)}::uuid[], ${reports.map(({ reason }) => reason)}::text[])
        as report (delivery_id, reason)
    ),
    refused as (
      select delivery.id, report.reason, ${WITHOUT_FILES} as content, case
          when ${WITHOUT_FILES} is null then 'text' when delivery.lease is not null then 'sending' else 'requeued' end as state
      from report join deliveries as delivery on delivery.org_id = ${orgId} and delivery.id = report.delivery_id
      where delivery.content is not null and (${WITHOUT_FILES} is not null or delivery.content ?| array['text', 'body'])
      for update of delivery
    ),
    requeued as (
      update deliveries as delivery set content = refused.content, status = 'queued', reason = refused.reason, provider_id = null,
        sent_at = null, not_before = null, look_up_at = null, may_have_gone = false, updated_at = now(),
        answers = delivery.answers || jsonb_build_object('attempt', delivery.attempts, 'at', ${NOW_AS_ISO}, 'outcome', 'rejected',
          'answer', refused.reason)
      from refused
      where delivery.org_id = ${orgId} and delivery.id = refused.id and refused.state = 'requeued'
    )
    select id, state from refused
  `.execute(trx);
  return rows;
}
