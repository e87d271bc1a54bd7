import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { countFacts, countOf, percentiles, periodOf, type Reported, share } from './grouping.queries.ts';
import type { AutomationQuery } from './schema.ts';
import type { ReportScope } from './scope.ts';

const KEYS: Record<string, RawBuilder<unknown>> = {
  workflow: sql`automation_id`,
  trigger_cause: sql`trigger_cause`,
};

const FIGURES = sql`
  count(*) as runs, ${countOf(sql`status in ('idle', 'in_progress')`)} as waiting,
  ${countOf(sql`status = 'completed'`)} as completed, ${countOf(sql`status = 'failed'`)} as failed,
  ${countOf(sql`status = 'canceled'`)} as canceled,
  ${share(countOf(sql`status = 'failed'`), countOf(sql`status in ('completed', 'failed', 'canceled')`))} as failure_rate,
  ${percentiles('duration', 'duration')}`;

/** Counts the runs of customers' workflows created in the range. */
export const countRuns = <Figures>(db: Db, scope: ReportScope<AutomationQuery>): Promise<Reported<Figures>> =>
  countFacts(db, {
    scope,
    facts: sql`
      select ${periodOf(scope, sql`created_at`) ?? KEYS[scope.group_by]} as key, status,
        extract(epoch from run_ended_at - run_started_at)::float8 as duration
      from automation_runs
      where org_id = ${scope.orgId} and created_at >= ${scope.from} and created_at < ${scope.to} and not is_test_run`,
    figures: FIGURES,
    nameOf: scope.group_by === 'workflow' ? workflowName(scope.orgId) : undefined,
  });

const workflowName = (orgId: string) => sql`(
  select name from automation_versions as version
  where version.org_id = ${orgId} and version.automation_id = grouped.key::uuid order by version_number desc limit 1)`;
