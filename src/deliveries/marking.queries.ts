import { type RawBuilder, sql } from 'kysely';
import { PLANNED_EACH_TIME } from '../db/connect.ts';
import { newId } from '../ids.ts';
import type { Settlement } from './rules.ts';

export type SendResult = [deliveryId: string, settlement: Settlement];

/**
 * The beginning of a statement that writes down what became of sends, and suppresses addresses that bounced. What follows it finds the
 * rows as `marked (org_id, enrollment_id, step_id, status, delay_ms)`. What was given up as unknown meanwhile is known after all, but its
 * enrollment has gone on: it is not among them.
 *
 * Statistics lag behind a sequence that has just begun: by them the org has no row and nothing is active, so that reading all that is
 * looks cheap, even once for each row. What joins `marked` does so on the org too, and asks for no status by which an index is kept: that
 * leaves the primary key. Planned each time, by the tables' present size.
 */
export function markResults(orgId: string, provider: string, results: SendResult[]): RawBuilder<unknown> {
  const column = <T>(pick: (settlement: Settlement) => T) => results.map(([, settlement]) => pick(settlement));
  return sql`
    ${sql.raw(PLANNED_EACH_TIME)}
    with result as materialized (
      select ${orgId}::uuid as org_id, r.* from unnest(
        ${results.map(([id]) => id)}::uuid[], ${column(({ status }) => status)}::text[], ${column(({ reason }) => reason)}::text[],
        ${column(({ providerId }) => providerId)}::text[], ${column(({ delayMs }) => delayMs)}::float8[], ${results.map(newId)}::uuid[]
      ) as r (id, status, reason, provider_id, delay_ms, suppression_id)
    ),
    marked as (
      update deliveries as delivery set status = result.status, reason = result.reason, provider = ${provider},
        provider_id = coalesce(result.provider_id, delivery.provider_id), lease = null, updated_at = now(),
        sent_at = case when result.status = 'accepted' then now() end,
        not_before = now() + result.delay_ms * interval '1 millisecond',
        attempts = delivery.attempts - case when result.delay_ms = 0 then 1 else 0 end
      from result
      where delivery.org_id = result.org_id and delivery.id = result.id and delivery.status = 'sending'
      returning delivery.org_id, delivery.enrollment_id, delivery.step_id, delivery.status, delivery."to", result.delay_ms, result.suppression_id
    ),
    late as (
      update deliveries as delivery set status = result.status, reason = result.reason, provider = ${provider},
        provider_id = result.provider_id, updated_at = now(), sent_at = case when result.status = 'accepted' then now() end
      from result
      where delivery.org_id = result.org_id and delivery.id = result.id and delivery.status = 'unknown'
        and result.status not in ('queued', 'unknown')
    ),
    suppressed as (
      insert into suppressions (org_id, id, channel, address, reason)
      select distinct on ("to") org_id, suppression_id, 'email', "to", 'bounced' from marked where status = 'bounced'
      on conflict (org_id, channel, address) do update set reason = excluded.reason
    )`;
}
