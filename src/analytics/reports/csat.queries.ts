import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { CsatQuery } from './schema.ts';
import type { ReportScope } from './scope.ts';
import { nameOfSessionKey, ofSessions, SESSION_KEYS } from './sessions.shared.queries.ts';
import { countFacts, countOf, type Groups, named, parallelSums, share, summed, sumOf } from './shared.queries.ts';

const SCORES = [1, 2, 3, 4, 5];

const SUMS = named({
  scores: sql`count(*)`,
  points: sql`sum(score)`,
  ...Object.fromEntries(SCORES.map((score) => [`score_${score}`, countOf(sql`score = ${sql.lit(score)}`)])),
});

const FIGURES = sql`
  ${sumOf(sql`scores`)} as scores, (sum(points) / nullif(sum(scores), 0))::float8 as average,
  ${share(sumOf(sql`score_4 + score_5`), sumOf(sql`scores`))} as satisfied,
  ${summed(SCORES.map((score) => `score_${score}`))}`;

/** Counts the scores given in the range. */
export const countScores = (db: Db, scope: ReportScope<CsatQuery>): Promise<Groups> =>
  countFacts(db, {
    scope,
    facts: parallelSums(scope, SESSION_KEYS, {
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
