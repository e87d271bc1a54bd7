import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { doublesOf } from '../../db/doubles.ts';
import type { CountedTime } from '../../desk/office-hours/counted-time.rules.ts';
import { counted, joinCalendars, placeOf, secondsOf } from './counted-time.queries.ts';
import type { ConversationQuery } from './schema.ts';
import type { ReportScope } from './scope.ts';
import { inSessions, nameOfSessionKey, SESSION_KEYS } from './sessions.shared.queries.ts';
import { countFacts, countOf, type Groups, inRange, named, parallelSums, summed } from './shared.queries.ts';

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

const SECONDS = Object.fromEntries(Object.entries(TIMES).map(([name, time]) => [name, secondsOf(time)]));

const DURATIONS = {
  first_response: counted('written_at', 'answered_at'),
  first_reply: counted('owed_at', 'replied_at'),
  resolution: counted('opened_at', 'ended_at'),
};

const GATHERED_DURATIONS = Object.fromEntries(Object.keys(DURATIONS).map((name) => [name, doublesOf(sql.ref(name))]));

const ofStatus = (status: string) => countOf(sql`status = ${sql.lit(status)}`);

const COUNTS = {
  sessions: sql`count(*)`,
  open: ofStatus('open'),
  resolved: ofStatus('closed_resolved'),
  unresolved: ofStatus('closed_unresolved'),
  handed_off: countOf(sql`is_handed_off`),
  contact_messages: sql`sum(contact_messages)`,
  ai_messages: sql`sum(ai_messages)`,
  agent_messages: sql`sum(agent_messages)`,
};

/** Counts the sessions opened in the range, their messages and their times. */
export function countConversations(
  db: Db,
  scope: ReportScope<ConversationQuery> & { times: CountedTime[] },
): Promise<Groups> {
  return countFacts(db, {
    scope,
    facts: parallelSums(scope, SESSION_KEYS, {
      columns: sql`status, contact_messages, ai_messages, agent_messages, is_handed_off, ${named(DURATIONS)}`,
      from: sql`${placedSessions(scope)} as session`,
      where: sql`true`,
      at: sql`session.created_at`,
      sums: named({ ...COUNTS, ...GATHERED_DURATIONS }),
    }),
    figures: summed(Object.keys(COUNTS)),
    times: Object.keys(DURATIONS),
    nameOf: nameOfSessionKey(scope),
  });
}

/** The place of each time is computed once: `offset '0'` keeps Postgres from doing so wherever it is asked for. */
const placedSessions = (scope: ReportScope<ConversationQuery> & { times: CountedTime[] }): RawBuilder<unknown> => sql`(
    select timed.*, ${sql.join(Object.keys(TIMES).map(placeOf))} from (
      select session.created_at, ${sql.join(Object.values(SESSION_KEYS))}, session.status, session.contact_messages, session.ai_messages,
        session.agent_messages, session.first_handoff_at is not null as is_handed_off,
        ${named(SECONDS)}, calendar.starts, calendar.ends, calendar.offsets
      from sessions as session ${joinCalendars(scope.times)}
      where ${inSessions(scope)} and ${inRange(scope, sql`session.created_at`)}
    ) as timed offset bigint '0'
  )`;
