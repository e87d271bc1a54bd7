import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { SHORT_LIVED_PLAN } from '../../db/connections/preparing-client.ts';
import { NIL_UUID, newId } from '../../ids.ts';
import { announcingSome } from '../../outbox/announcing.ts';
import { NOW_AS_ISO } from '../queries.ts';
import { SUPPRESS_REFUSED } from '../suppressions/shared.queries.ts';
import { RECONCILABLE_CHANNELS, type Settlement } from './outcomes.rules.ts';
import type { SettledDeliveries, SettlingContinuation } from './settling.rules.ts';

export type SendResult = [deliveryId: string, settlement: Settlement];

/** The columns of the common table expression `settled`. */
const SETTLED: SettledDeliveries = {
  rows: sql`settled`,
  orgId: sql`settled.org_id`,
  enrollmentId: sql`settled.enrollment_id`,
  status: sql`settled.status`,
  delayMs: sql`settled.delay_ms`,
};

/** An attempt at sending. */
export interface Attempt {
  /** Who sends. */
  provider: string;
  /** The id stored in the rows it claimed. */
  lease: string;
  /** Builds the owner's part of the statement that settles a chunk. */
  continuation?: SettlingContinuation | undefined;
}

/**
 * Records the outcomes of sends and suppresses unreachable addresses, in one statement with the owner's continuation. A
 * status from a callback stays if it arrived before our own response. A late response to a send already given up is
 * recorded too, but not part of the settled rows: its enrollment has moved on. An attempt replaced by another (`lease`)
 * settles nothing else. A send that is given up is `unknown` if an earlier attempt may have gone. Triggers of the database
 * announce what has changed.
 */
export async function settleDeliveries(db: Db, orgId: string, attempt: Attempt, results: SendResult[]): Promise<void> {
  if (results.length === 0) return;
  const { continuation = () => NOTHING_ANNOUNCED } = attempt;
  await announcingSome(
    db,
    sql<{ may_have_announced: boolean }>`
    ${settlingOf(orgId, attempt, results)}${continuation(SETTLED)}
    select exists (select from announced) or exists (select from event_subscriptions where org_id = ${orgId}) as may_have_announced
  `.execute(db),
  );
}

const NOTHING_ANNOUNCED = sql`, announced as (select from settled limit 0)`;

/**
 * SQL: the beginning of the statement, with the updated rows as SETTLED.
 *
 * Statistics lag behind a new sequence: they show no rows of the org and nothing active. A scan of all active rows then
 * looks cheap, even once per row. Therefore joins with `settled` include the org and avoid the conditions of partial
 * indexes (`coalesce` avoids the index of leases), leaving only the primary key. The plan is short-lived, so
 * that it is one for the present size of the tables.
 */
function settlingOf(orgId: string, { provider, lease }: Attempt, results: SendResult[]): RawBuilder<unknown> {
  const column = <T>(pick: (settlement: Settlement) => T) => results.map(([, settlement]) => pick(settlement));
  const suppressions = results.some(([, { suppression }]) => suppression !== null) ? INSERT_SUPPRESSIONS : sql``;
  return sql`
    ${sql.raw(SHORT_LIVED_PLAN)}
    with result as materialized (
      select ${orgId}::uuid as org_id, r.* from unnest(
        ${results.map(([id]) => id)}::uuid[], ${column(({ status }) => status)}::text[], ${column(({ reason }) => reason)}::text[],
        ${column(({ providerId }) => providerId)}::text[], ${column(({ delayMs }) => delayMs)}::float8[],
        ${column(({ outcome }) => outcome)}::text[], ${column(({ suppression }) => suppression)}::text[], ${results.map(newId)}::uuid[]
      ) as r (id, status, reason, provider_id, delay_ms, outcome, suppression, suppression_id)
    ),
    settled as (
      update deliveries as delivery set
        status = case when delivery.status <> 'sending' then delivery.status
          when delivery.may_have_gone and result.status = 'failed' then 'unknown' else result.status end,
        reason = case when delivery.status = 'sending' then result.reason else delivery.reason end,
        provider = ${provider}, provider_id = coalesce(result.provider_id, delivery.provider_id), lease = null, updated_at = now(),
        sent_at = coalesce(delivery.sent_at, case when result.status = 'accepted' then now() end),
        not_before = now() + result.delay_ms * interval '1 millisecond',
        attempts = delivery.attempts - case when result.delay_ms = 0 then 1 else 0 end,
        answers = case when result.delay_ms = 0 then delivery.answers else delivery.answers || jsonb_build_object('attempt',
          delivery.attempts, 'at', ${NOW_AS_ISO}, 'outcome', result.outcome, 'answer', coalesce(result.reason, result.provider_id)) end,
        may_have_gone = (delivery.may_have_gone or result.outcome = 'unknown') and delivery.status = 'sending' and result.status = 'queued',
        look_up_at = case when delivery.status = 'sending' and result.status = 'unknown' then ${firstReconciliationAt('delivery.channel')} end
      from result
      where delivery.org_id = result.org_id and delivery.id = result.id
        and coalesce(delivery.lease, ${NIL_UUID}::uuid) = ${lease}::uuid
      returning delivery.org_id, delivery.enrollment_id, delivery.step_id, delivery.status, delivery.channel, delivery."to",
        result.delay_ms, result.suppression, result.suppression_id
    ),
    late as (
      update deliveries as delivery set status = result.status, reason = result.reason, provider = ${provider},
        provider_id = coalesce(result.provider_id, delivery.provider_id), updated_at = now(), look_up_at = null,
        sent_at = case when result.status = 'accepted' then now() end,
        answers = delivery.answers || jsonb_build_object('attempt', delivery.attempts, 'at', ${NOW_AS_ISO}, 'outcome', result.outcome,
          'answer', coalesce(result.reason, result.provider_id))
      from result
      where delivery.org_id = result.org_id and delivery.id = result.id and (
        (delivery.status = 'unknown' and result.status not in ('queued', 'unknown'))
        or (delivery.status = 'queued' and delivery.may_have_gone and result.status = 'accepted')
      )
      returning delivery.org_id, delivery.channel, delivery."to", result.suppression, result.suppression_id
    )${suppressions}`;
}

const INSERT_SUPPRESSIONS = sql`,
    refused as (
      select org_id, channel, "to", suppression, suppression_id from settled where suppression is not null
      union all
      select * from late where suppression is not null
    ),
    suppressed as (${SUPPRESS_REFUSED})`;

/**
 * SQL: the time of an unknown send's first reconciliation, at once, or never if its channel has no provider to ask.
 * `channel` is a column name.
 */
export const firstReconciliationAt = (channel: string) =>
  sql`case when ${sql.ref(channel)} = any(${RECONCILABLE_CHANNELS}::text[]) then now() end`;

/**
 * SQL: the new values of a `delivery` with an interrupted attempt. The outcome of one that had begun is not known: it
 * becomes `unknown` and is not sent again. Only transactional e-mail is sent again, under the same Message-ID. One that had
 * not begun waits again, and no attempt is counted. A status reported by a callback in the meantime stays.
 */
export const interruptedColumns = (
  isTransactional: RawBuilder<SqlBool>,
  hasBegun: RawBuilder<SqlBool> = sql<SqlBool>`true`,
) => sql`
  status = case when delivery.status <> 'sending' then delivery.status when not ${hasBegun} or ${isTransactional} then 'queued' else 'unknown' end,
  may_have_gone = delivery.status = 'sending' and (delivery.may_have_gone or ${hasBegun}),
  reason = case when delivery.status = 'sending' and ${hasBegun} then 'the worker stopped while it was being sent' else delivery.reason end,
  attempts = delivery.attempts - case when delivery.status = 'sending' and not ${hasBegun} then 1 else 0 end,
  look_up_at = case when delivery.status = 'sending' and ${hasBegun} then ${firstReconciliationAt('delivery.channel')} end, lease = null,
  updated_at = now()`;
