import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { ReportRange } from '../../reports/range.ts';
import type { ReportScope } from './scope.ts';

type SessionQuery = { group_by: string; channel?: string | undefined; team_id?: string | undefined };

/** What sessions are counted by, but for periods. */
export const SESSION_KEYS: Record<string, RawBuilder<unknown>> = {
  channel: sql`session.channel`,
  team: sql`session.team_id`,
  assignee: sql`session.assignee_id`,
  language: sql`session.language`,
};

/** Restricts `session` to those of the report. */
export const inSessions = (scope: ReportScope<SessionQuery>): RawBuilder<unknown> =>
  sql`session.org_id = ${scope.orgId} and ${ofSessions(scope)}`;

/**
 * Restricts facts to the report's sessions, by a row that has their properties. Sessions are outer joined: Postgres reads
 * none where the report asks nothing of them.
 */
export const ofSessions = (
  { channel, team_id }: ReportScope<SessionQuery>,
  row: 'session' | 'turn' = 'session',
): RawBuilder<unknown> =>
  sql.join(
    [
      ...(channel === undefined ? [] : [sql`${sql.ref(`${row}.channel`)} = ${channel}`]),
      ...(team_id === undefined ? [] : [sql`${sql.ref(`${row}.team_id`)} = ${team_id}`]),
      sql`true`,
    ],
    sql` and `,
  );

/** The name of a team or an assignee. */
export function nameOfSessionKey({ orgId, group_by }: ReportScope<SessionQuery>): RawBuilder<unknown> | undefined {
  if (group_by === 'team')
    return sql`(select name from teams as team where team.org_id = ${orgId} and team.id = grouped.key::uuid)`;
  if (group_by === 'assignee')
    return sql`(select name from members as member where member.org_id = ${orgId} and member.user_id = grouped.key::bigint)`;
  return undefined;
}

/** Finds when the org's first session in a range was opened. */
export const findFirstOpening = (db: Db, orgId: string, { from, to }: ReportRange) =>
  db
    .selectFrom('sessions')
    .select('created_at')
    .where('org_id', '=', orgId)
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
