import { type RawBuilder, sql } from 'kysely';
import { PLANNED_EACH_TIME } from '../db/connect.ts';
import { newId } from '../ids.ts';
import type { Settlement } from './rules.ts';

export type SendResult = [deliveryId: string, settlement: Settlement];

/**
 * The beginning of a statement that writes down what became of sends, and suppresses addresses that bounced. What follows it finds the
 * rows as `marked (enrollment_id, step_id, status, delay_ms)`. Planned each time, as a plan made while the tables were small reads all that
 * is active for each row. A try that proved nothing about the recipient (`delay_ms` 0) is not counted.
 */
export function markResults(orgId: string, provider: string, results: SendResult[]): RawBuilder<unknown> {
  const column = <T>(pick: (settlement: Settlement) => T) => results.map(([, settlement]) => pick(settlement));
  return sql`
    ${sql.raw(PLANNED_EACH_TIME)}
    with result as (
      select * from unnest(
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
      where delivery.org_id = ${orgId} and delivery.id = result.id and delivery.status in ('sending', 'unknown')
      returning delivery.enrollment_id, delivery.step_id, delivery.status, delivery."to", result.delay_ms, result.suppression_id
    ),
    suppressed as (
      insert into suppressions (org_id, id, channel, address, reason)
      select distinct on ("to") ${orgId}::uuid, suppression_id, 'email', "to", 'bounced' from marked where status = 'bounced'
      on conflict (org_id, channel, address) do update set reason = excluded.reason
    )`;
}
