import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { CountedTime } from '../desk/office-hours/counted-time.rules.ts';
import { counted, joinCalendars, placeOf } from './counted-time.queries.ts';
import { countFacts, countOf, percentiles, periodOf, type Reported } from './grouping.queries.ts';
import type { ConversationQuery } from './schema.ts';
import type { ReportScope } from './scope.ts';
import { inSessions, nameOfSessionKey, propertyOfSession } from './sessions.queries.ts';

/** The times of a session that are compared. From `owed_at` on people owe a reply. */
const TIMES = {
  opened_at: sql`session.created_at`,
  ended_at: sql`session.closed_at`,
  written_at: sql`session.first_contact_message_at`,
  answered_at: sql`least(session.first_ai_message_at, session.first_agent_message_at)`,
  owed_at: sql`case when session.first_ai_message_at < session.first_handoff_at then session.first_handoff_at
    else least(session.first_contact_message_at, session.first_handoff_at) end`,
  replied_at: sql`session.first_agent_message_at`,
};

/** Counts the sessions opened in the range, their messages and their times. */
export function countConversations<Figures>(
  db: Db,
  scope: ReportScope<ConversationQuery> & { times: CountedTime[] },
): Promise<Reported<Figures>> {
  return countFacts(db, { scope, facts: sessionFacts(scope), figures: FIGURES, nameOf: nameOfSessionKey(scope) });
}

/**
 * The place of each time is computed once: `offset '0'` keeps Postgres from doing so wherever it is asked for. The period
 * is computed outside of it, as workers would otherwise not compute any of this.
 */
const sessionFacts = (scope: ReportScope<ConversationQuery> & { times: CountedTime[] }): RawBuilder<unknown> => sql`
  select ${periodOf(scope, sql`opened_at`) ?? sql`key`} as key, status, contact_messages, ai_messages, agent_messages, is_handed_off,
    ${counted('written_at', 'answered_at')} as first_response, ${counted('owed_at', 'replied_at')} as first_reply,
    ${counted('opened_at', 'ended_at')} as resolution
  from (
    select timed.*, ${sql.join(Object.keys(TIMES).map(placeOf))} from (
      select ${propertyOfSession(scope)} as key, session.status, session.contact_messages, session.ai_messages, session.agent_messages,
        session.first_handoff_at is not null as is_handed_off,
        ${sql.join(Object.entries(TIMES).map(([name, time]) => sql`${time} as ${sql.ref(name)}`))},
        calendar.starts, calendar.ends, calendar.counted
      from sessions as session ${joinCalendars(scope.times)}
      where ${inSessions(scope)} and session.created_at >= ${scope.from} and session.created_at < ${scope.to}
    ) as timed offset bigint '0'
  ) as placed`;

const FIGURES = sql`
  count(*) as sessions, ${countOf(sql`status = 'open'`)} as open, ${countOf(sql`status = 'closed_resolved'`)} as resolved,
  ${countOf(sql`status = 'closed_unresolved'`)} as unresolved, ${countOf(sql`is_handed_off`)} as handed_off,
  coalesce(sum(contact_messages), 0) as contact_messages, coalesce(sum(ai_messages), 0) as ai_messages,
  coalesce(sum(agent_messages), 0) as agent_messages,
  ${percentiles('first_response', 'first_response')}, ${percentiles('first_reply', 'first_reply')},
  ${percentiles('resolution', 'resolution')}`;
