import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { doublesOf } from '../../db/doubles.ts';
import { secondsBetween } from './counted-time.queries.ts';
import type { AutomationQuery } from './schema.ts';
import type { ReportScope } from './scope.ts';
import { countFacts, countOf, type Groups, parallelSums, share, summed, sumOf } from './shared.queries.ts';

const KEYS: Record<string, RawBuilder<unknown>> = {
  workflow: sql`automation_id`,
  trigger_cause: sql`trigger_cause`,
};

const inState = (...states: string[]) => countOf(sql`status in (${sql.join(states.map((state) => sql.lit(state)))})`);

const SUMS = sql`
  count(*) as runs, ${inState('idle', 'in_progress')} as waiting, ${inState('completed')} as completed,
  ${inState('failed')} as failed, ${inState('canceled')} as canceled, ${doublesOf(sql`duration`)} as duration`;

const FIGURES = sql`
  ${summed(['runs', 'waiting', 'completed', 'failed', 'canceled'])},
  ${share(sumOf(sql`failed`), sumOf(sql`completed + failed + canceled`))} as failure_rate`;

/** Counts the runs of customers' workflows created in the range. */
export const countRuns = (db: Db, scope: ReportScope<AutomationQuery>): Promise<Groups> =>
  countFacts(db, {
    scope,
    facts: parallelSums(scope, KEYS, {
      columns: sql`status, ${secondsBetween(sql`run_started_at`, sql`run_ended_at`)} as duration`,
      from: sql`automation_runs`,
      where: sql`org_id = ${scope.orgId} and not is_test_run`,
      at: sql`created_at`,
      sums: SUMS,
    }),
    figures: FIGURES,
    times: ['duration'],
    nameOf: scope.group_by === 'workflow' ? workflowName(scope.orgId) : undefined,
  });

const workflowName = (orgId: string) => sql`(
  select name from automation_versions as version
  where version.org_id = ${orgId} and version.automation_id = grouped.key::uuid order by version_number desc limit 1)`;
