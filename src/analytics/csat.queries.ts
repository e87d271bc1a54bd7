import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { countFacts, countOf, type Reported, share } from './grouping.queries.ts';
import type { CsatQuery } from './schema.ts';
import type { ReportScope } from './scope.ts';
import { keyOfSession, nameOfSessionKey, ofSessions } from './sessions.queries.ts';

const ofScore = (score: number) => countOf(sql`score = ${sql.lit(score)}`);

const FIGURES = sql`
  count(*) as scores, avg(score)::float8 as average, ${share(countOf(sql`score >= 4`), sql`count(*)`)} as satisfied,
  ${ofScore(1)} as score_1, ${ofScore(2)} as score_2, ${ofScore(3)} as score_3, ${ofScore(4)} as score_4, ${ofScore(5)} as score_5`;

/** Counts the scores given in the range. */
export const countScores = <Figures>(db: Db, scope: ReportScope<CsatQuery>): Promise<Reported<Figures>> =>
  countFacts(db, {
    scope,
    facts: sql`
      select ${keyOfSession(scope, sql`given.created_at`)} as key, given.score
      from csat_scores as given
      left join sessions as session on session.org_id = given.org_id and session.id = given.session_id
      where ${ofSessions(scope)} and given.org_id = ${scope.orgId}
        and given.created_at >= ${scope.from} and given.created_at < ${scope.to}`,
    figures: FIGURES,
    nameOf: nameOfSessionKey(scope),
  });
