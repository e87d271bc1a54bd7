import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { countFacts, countOf, type Reported, share } from './grouping.queries.ts';
import type { AiQuery } from './schema.ts';
import type { ReportScope } from './scope.ts';
import { inSessions, keyOfSession, nameOfSessionKey } from './sessions.queries.ts';

type Scope = ReportScope<AiQuery>;

/** Counts what the AI did in the range: the sessions it answered, those it resolved, its turns and their cost. */
export const countAi = <Figures>(db: Db, scope: Scope): Promise<Reported<Figures>> =>
  countFacts(db, {
    facts: sql`${sessionFacts(scope)} union all ${resolutionFacts(scope)} union all ${turnFacts(scope)}`,
    figures: FIGURES,
    nameOf: nameOfSessionKey(scope),
  });

const within = (column: string, { from, to }: Scope) =>
  sql`${sql.ref(column)} >= ${from} and ${sql.ref(column)} < ${to}`;

const sessionFacts = (scope: Scope): RawBuilder<unknown> => sql`
  select ${keyOfSession(scope)} as key, 'session' as kind, session.ai_messages > 0 as is_answered,
    session.ai_messages > 0 and session.agent_messages = 0 and session.first_handoff_at is null as is_only_by_ai,
    false as came_back, null as state, 0 as input, 0 as output, 0 as cost
  from sessions as session
  where ${inSessions(scope)} and ${within('session.created_at', scope)} and session.contact_messages > 0`;

/** A contact comes back by a message in the session, or by another session. */
const resolutionFacts = (scope: Scope): RawBuilder<unknown> => sql`
  select ${keyOfSession(scope, sql`resolution.created_at`)}, 'resolution', false, false,
    exists (
      select from session_events as later
      where later.org_id = resolution.org_id and later.session_id = resolution.session_id and later.seq > resolution.seq
        and later.sender = 'contact' and later.created_at <= resolution.created_at + interval '72 hours'
    ) or exists (
      select from sessions as other
      where other.org_id = session.org_id and other.contact_id = session.contact_id and other.id <> session.id
        and other.created_at > resolution.created_at and other.created_at <= resolution.created_at + interval '72 hours'
        and other.contact_messages > 0
    ), null, 0, 0, 0
  from session_events as resolution
  join sessions as session on session.org_id = resolution.org_id and session.id = resolution.session_id
  where ${inSessions(scope)} and resolution.org_id = ${scope.orgId} and resolution.type = 'ai_resolved_issue'
    and ${within('resolution.created_at', scope)}`;

const turnFacts = (scope: Scope): RawBuilder<unknown> => sql`
  select ${keyOfSession(scope, sql`turn.created_at`)}, 'turn', false, false, false, turn.state, spent.input, spent.output, spent.cost
  from ai_turns as turn
  join sessions as session on session.org_id = turn.org_id and session.id = turn.session_id
  cross join lateral (
    select coalesce(sum((step.usage->>'input')::integer), 0) as input, coalesce(sum((step.usage->>'output')::integer), 0) as output,
      coalesce(sum(step.cost), 0) as cost
    from ai_steps as step where step.org_id = turn.org_id and step.turn_id = turn.id
  ) as spent
  where ${inSessions(scope)} and turn.org_id = ${scope.orgId} and ${within('turn.created_at', scope)} and turn.state <> 'superseded'`;

const ofSessions = (condition: RawBuilder<unknown>) => countOf(sql`kind = 'session' and ${condition}`);
const ofTurns = (state: string) => countOf(sql`state = ${sql.lit(state)}`);
const SESSIONS = ofSessions(sql`true`);
const ANSWERED = ofSessions(sql`is_answered`);
const ONLY_BY_AI = ofSessions(sql`is_only_by_ai`);
const RESOLVED = countOf(sql`kind = 'resolution'`);
const CAME_BACK = countOf(sql`came_back`);

const FIGURES = sql`
  ${SESSIONS} as sessions, ${ANSWERED} as answered_by_ai, ${ONLY_BY_AI} as only_by_ai,
  ${share(ANSWERED, SESSIONS)} as answered_share, ${share(ONLY_BY_AI, SESSIONS)} as only_by_ai_share,
  ${RESOLVED} as resolved_by_ai, ${CAME_BACK} as came_back, ${share(CAME_BACK, RESOLVED)} as came_back_share,
  ${countOf(sql`kind = 'turn'`)} as turns, ${ofTurns('answered')} as turns_answered, ${ofTurns('asked')} as turns_asked,
  ${ofTurns('handed_off')} as turns_handed_off, ${ofTurns('skipped')} as turns_skipped,
  coalesce(sum(input), 0)::float8 as input_tokens, coalesce(sum(output), 0)::float8 as output_tokens,
  coalesce(sum(cost), 0)::float8 as cost`;
