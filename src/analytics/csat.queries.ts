import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { countFacts, countOf, type Groups, share, sumOf, sumsByWorkers } from './grouping.queries.ts';
import type { CsatQuery } from './schema.ts';
import type { ReportScope } from './scope.ts';
import { nameOfSessionKey, ofSessions, SESSION_KEYS } from './sessions.queries.ts';

const SCORES = [1, 2, 3, 4, 5];
const nameOf = (score: number) => sql.ref(`score_${score}`);

const SUMS = sql`
  count(*) as scores, sum(score) as points,
  ${sql.join(SCORES.map((score) => sql`${countOf(sql`score = ${sql.lit(score)}`)} as ${nameOf(score)}`))}`;

const FIGURES = sql`
  ${sumOf(sql`scores`)} as scores, (sum(points) / nullif(sum(scores), 0))::float8 as average,
  ${share(sumOf(sql`score_4 + score_5`), sumOf(sql`scores`))} as satisfied,
  ${sql.join(SCORES.map((score) => sql`${sumOf(nameOf(score))} as ${nameOf(score)}`))}`;

/** Counts the scores given in the range. */
export const countScores = (db: Db, scope: ReportScope<CsatQuery>): Promise<Groups> =>
  countFacts(db, {
    scope,
    facts: sumsByWorkers(scope, SESSION_KEYS, {
      columns: sql`given.score`,
      from: sql`csat_scores as given
        left join sessions as session on session.org_id = given.org_id and session.id = given.session_id`,
      where: sql`${ofSessions(scope)} and given.org_id = ${scope.orgId}`,
      at: sql`given.created_at`,
      sums: SUMS,
    }),
    figures: FIGURES,
    nameOf: nameOfSessionKey(scope),
  });
