import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { DeliveryQuery } from './schema.ts';
import type { ReportScope } from './scope.ts';
import { countFacts, type Groups, share, sumsBy } from './shared.queries.ts';

const KEYS: Record<string, RawBuilder<unknown>> = {
  channel: sql`channel`,
  provider: sql`provider`,
  sequence: sql`sequence_id`,
  reason: sql`reason`,
};

const deliveriesWhere = (condition: RawBuilder<unknown>) =>
  sql`coalesce(sum(deliveries) filter (where ${condition}), 0)::float8`;
const inState = (...states: string[]) =>
  deliveriesWhere(sql`status in (${sql.join(states.map((state) => sql.lit(state)))})`);
const HANDED_OVER = inState('accepted', 'sent', 'delivered', 'read', 'bounced');
const DELIVERED = inState('delivered', 'read');

const FIGURES = sql`
  ${deliveriesWhere(sql`true`)} as deliveries, ${inState('held', 'queued', 'sending')} as waiting, ${HANDED_OVER} as handed_over,
  ${DELIVERED} as delivered, ${inState('read')} as read, ${inState('bounced')} as bounced, ${inState('failed')} as failed,
  ${inState('suppressed')} as suppressed, ${inState('skipped')} as skipped, ${inState('unknown')} as unknown,
  ${inState('canceled')} as canceled, ${share(DELIVERED, HANDED_OVER)} as delivery_rate,
  ${share(inState('bounced'), HANDED_OVER)} as bounce_rate`;

/** Counts the deliveries created in the range by their status. */
export const countDeliveries = (db: Db, scope: ReportScope<DeliveryQuery>): Promise<Groups> =>
  countFacts(db, {
    scope,
    facts: sumsBy(scope, KEYS, {
      columns: sql`status`,
      from: sql`deliveries`,
      where: sql`org_id = ${scope.orgId}`,
      at: sql`created_at`,
      by: sql`status`,
      sums: sql`count(*) as deliveries`,
    }),
    figures: FIGURES,
    nameOf: scope.group_by === 'sequence' ? sequenceName(scope.orgId) : undefined,
  });

const sequenceName = (orgId: string) =>
  sql`(select name from sequences as sequence where sequence.org_id = ${orgId} and sequence.id = grouped.key::uuid)`;
