import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { counted, joinCalendars, type TeamTimes } from './counted-time.queries.ts';
import { countFacts, countOf, percentiles, type Reported } from './grouping.queries.ts';
import type { ConversationQuery } from './schema.ts';
import type { ReportScope } from './scope.ts';
import { inSessions, keyOfSession, nameOfSessionKey } from './sessions.queries.ts';

const responseEnd = sql`least(session.first_ai_message_at, session.first_agent_message_at)`;
/** From then on people owe a reply. */
const replyStart = sql`case when session.first_ai_message_at < session.first_handoff_at then session.first_handoff_at
  else least(session.first_contact_message_at, session.first_handoff_at) end`;

/** Counts the sessions opened in the range, their messages and their times. */
export function countConversations<Figures>(
  db: Db,
  scope: ReportScope<ConversationQuery> & { times: TeamTimes[] },
): Promise<Reported<Figures>> {
  return countFacts(db, { facts: sessionFacts(scope), figures: FIGURES, nameOf: nameOfSessionKey(scope) });
}

const sessionFacts = (scope: ReportScope<ConversationQuery> & { times: TeamTimes[] }): RawBuilder<unknown> => sql`
  select ${keyOfSession(scope)} as key, session.status, session.contact_messages, session.ai_messages, session.agent_messages,
    session.first_handoff_at is not null as is_handed_off,
    ${counted(sql`session.first_contact_message_at`, responseEnd)} as first_response,
    ${counted(replyStart, sql`session.first_agent_message_at`)} as first_reply,
    ${counted(sql`session.created_at`, sql`session.closed_at`)} as resolution
  from sessions as session ${joinCalendars(scope.times)}
  where ${inSessions(scope)} and session.created_at >= ${scope.from} and session.created_at < ${scope.to}`;

const FIGURES = sql`
  count(*) as sessions, ${countOf(sql`status = 'open'`)} as open, ${countOf(sql`status = 'closed_resolved'`)} as resolved,
  ${countOf(sql`status = 'closed_unresolved'`)} as unresolved, ${countOf(sql`is_handed_off`)} as handed_off,
  coalesce(sum(contact_messages), 0) as contact_messages, coalesce(sum(ai_messages), 0) as ai_messages,
  coalesce(sum(agent_messages), 0) as agent_messages,
  ${percentiles('first_response', 'first_response')}, ${percentiles('first_reply', 'first_reply')},
  ${percentiles('resolution', 'resolution')}`;
