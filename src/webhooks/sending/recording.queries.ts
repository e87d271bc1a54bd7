import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';
import { onlyRow } from '../../db/rows.ts';
import type { EndpointRef } from '../contract.ts';
import { lockSender } from '../endpoints/shared.queries.ts';

/** A try of a delivery. */
export interface AttemptOutcome {
  deliveryId: string;
  at: Date;
  /** The HTTP status, if there was an answer. */
  status: number | null;
  durationMs: number;
  answer: string | null;
  error: string | null;
  isAccepted: boolean;
  /** The receiver wants nothing more. */
  isGone: boolean;
}

/** A try, with the time until the next one. Null: there is none. */
export type RecordedAttempt = AttemptOutcome & { delayMs: number | null };

/** A delivery after its try. */
export interface TriedDelivery {
  id: string;
  event_id: string;
  status: 'pending' | 'retrying' | 'delivered' | 'failed' | 'held';
  is_in_session: boolean;
  delay_ms: number | null;
}

/** So many tries are planned anew, by the present size of the tables. Planning takes longer than to record a few. */
const MANY_TRIES = 20;

/** The clock that says when a try began may be as much ahead of the database's. */
const MAX_CLOCK_DIFFERENCE = sql.lit('1 minute');

/**
 * Records tries of deliveries, each as a row, and moves the deliveries on. An accepted one is delivered for good,
 * whatever became of it meanwhile. A failure moves only what still waits for this try. What a receiver has answered to
 * texts that were redacted meanwhile is not stored.
 */
export async function recordTries(db: Db, orgId: string, tries: RecordedAttempt[]): Promise<TriedDelivery[]> {
  const { rows } = await sql<TriedDelivery>`
    ${sql.raw(tries.length >= MANY_TRIES ? PLANNED_EACH_TIME : '')}
    with try as materialized (
      select ${orgId}::uuid as org_id, tried.* from jsonb_to_recordset(${JSON.stringify(tries)}::jsonb) as tried (
        "deliveryId" uuid, at timestamptz, status integer, "durationMs" integer, answer text, error text,
        "isAccepted" boolean, "isGone" boolean, "delayMs" float8
      )
    ), moved as (
      update webhook_deliveries as delivery set attempts = attempts + 1, round_attempts = round_attempts + 1, updated_at = now(),
        status = ${STATUS_AFTER},
        next_attempt_at = case when ${STATUS_AFTER} = 'retrying' then now() + try."delayMs" * interval '1 millisecond' end
      from try
      where delivery.org_id = try.org_id and delivery.id = try."deliveryId"
      returning delivery.id, delivery.event_id, delivery.status, delivery.session_id is not null as is_in_session,
        delivery.attempts, delivery.next_attempt_at, delivery.redacted_at
    ), recorded as (
      insert into webhook_attempts (org_id, delivery_id, number, at, status, duration_ms, answer, error, next_attempt_at)
      select ${orgId}::uuid, moved.id, moved.attempts, try.at, try.status, try."durationMs",
        case when try.answer is not null and redacted_at >= try.at - ${MAX_CLOCK_DIFFERENCE}::interval then '[redacted]' else try.answer end,
        try.error, moved.next_attempt_at
      from moved join try on try."deliveryId" = moved.id
    )
    select moved.id, event_id, moved.status, is_in_session, try."delayMs" as delay_ms
    from moved join try on try."deliveryId" = moved.id
  `.execute(db);
  return rows;
}

const STATUS_AFTER = sql`case
  when try."isAccepted" or delivery.status = 'delivered' then 'delivered'
  when delivery.status not in ('pending', 'retrying') then delivery.status
  when try."isGone" then 'held' when try."delayMs" is null then 'failed' else 'retrying' end`;

/** How an endpoint fares after some tries. */
export interface EndpointHealth {
  enabled: boolean;
  /** Failures since the last success. */
  failures: number;
  failing_for_ms: number;
}

/**
 * Counts an endpoint's failures since the last success. `failures` are those of the last tries, after a success among
 * them if `wasAccepted`. All tries may go then, until setProbe is called. An endpoint that got nothing for longer than
 * `quietAfterMs` since its last failure has only been failing again since now.
 */
export async function countFailures(
  trx: Trx,
  { orgId, endpointId }: EndpointRef,
  { failures, wasAccepted, quietAfterMs }: { failures: number; wasAccepted: boolean; quietAfterMs: number },
): Promise<EndpointHealth | undefined> {
  const { rows } = await sql<EndpointHealth>`
    update webhook_endpoints as endpoint set probe_at = null,
      failures = ${failures}::integer + case when ${wasAccepted}::boolean then 0 else endpoint.failures end,
      failing_since = case when ${failures}::integer = 0 then null
        when ${wasAccepted}::boolean or last_failed_at < now() - ${quietAfterMs}::float8 * interval '1 millisecond' then now()
        else coalesce(failing_since, now()) end,
      last_failed_at = case when ${failures}::integer = 0 then last_failed_at else now() end
    where org_id = ${orgId} and id = ${endpointId}
    returning enabled, failures, coalesce(extract(epoch from now() - failing_since) * 1000, 0)::float8 as failing_for_ms
  `.execute(trx);
  return rows[0];
}

/** Sets when the next single try of an endpoint may go, while its others wait. */
export async function setProbe(trx: Trx, { orgId, endpointId }: EndpointRef, delayMs: number): Promise<void> {
  await sql`
    update webhook_endpoints set probe_at = now() + ${delayMs}::float8 * interval '1 millisecond'
    where org_id = ${orgId} and id = ${endpointId}
  `.execute(trx);
}

/** Takes the one try that may go now, if nobody has. The next may go after `delayMs`. Returns whether it was there. */
export async function claimProbe(db: Db, { orgId, endpointId }: EndpointRef, delayMs: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update webhook_endpoints set probe_at = now() + ${delayMs}::float8 * interval '1 millisecond'
    where org_id = ${orgId} and id = ${endpointId} and probe_at <= now()
  `.execute(db);
  return numAffectedRows > 0n;
}

/** Reserves some slots of an endpoint with a rate. Returns the time until the first one, and between two. */
export async function reserveSlots(
  db: Db,
  { orgId, endpointId }: EndpointRef,
  count: number,
): Promise<{ in_ms: number; interval_ms: number }> {
  return onlyRow(
    await sql<{ in_ms: number; interval_ms: number }>`
      update webhook_endpoints set
        next_slot_at = greatest(coalesce(next_slot_at, now()), now()) + ${count}::integer * interval '1 second' / max_per_second
      where org_id = ${orgId} and id = ${endpointId}
      returning (extract(epoch from next_slot_at - now()) * 1000 - ${count}::integer * 1000.0 / max_per_second)::float8 as in_ms,
        (1000.0 / max_per_second)::float8 as interval_ms
    `.execute(db),
  );
}

/**
 * Reserves the next slot of an endpoint with a rate if it comes within a time, and returns the time until it. Undefined
 * if it does not.
 */
export async function reserveNearSlot(
  db: Db,
  { orgId, endpointId }: EndpointRef,
  withinMs: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ in_ms: number }>`
    update webhook_endpoints set
      next_slot_at = greatest(coalesce(next_slot_at, now()), now()) + interval '1 second' / max_per_second
    where org_id = ${orgId} and id = ${endpointId}
      and coalesce(next_slot_at, now()) <= now() + ${withinMs}::float8 * interval '1 millisecond'
    returning (extract(epoch from next_slot_at - now()) * 1000 - 1000.0 / max_per_second)::float8 as in_ms
  `.execute(db);
  return rows[0]?.in_ms;
}

/**
 * Says whether an endpoint's sender works, or comes back by itself. Saying that it does not waits for transactions that
 * have relied on it: what they have stored can be read afterwards.
 */
export async function setSending(trx: Trx, { orgId, endpointId }: EndpointRef, isSending: boolean): Promise<void> {
  await sql`
    update webhook_endpoints set is_sending = ${isSending}
    where org_id = ${orgId} and id = ${endpointId} and is_sending <> ${isSending}
  `.execute(trx);
  if (!isSending) await lockSender(trx, endpointId);
}
