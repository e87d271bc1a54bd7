import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { AiQuery } from './schema.ts';
import type { ReportScope } from './scope.ts';
import { inSessions, nameOfSessionKey, ofSessions, SESSION_KEYS } from './sessions.shared.queries.ts';
import {
  beside,
  type Counted,
  countFacts,
  countOf,
  type Groups,
  named,
  parallelSums,
  share,
  summed,
  sumOf,
  sumsBy,
} from './shared.queries.ts';

type Scope = ReportScope<AiQuery>;

const SUMS = [
  ...(['sessions', 'answered_by_ai', 'only_by_ai', 'resolved_by_ai', 'came_back'] as const),
  ...(['turns', 'turns_answered', 'turns_asked', 'turns_handed_off', 'turns_skipped'] as const),
  ...(['input_tokens', 'output_tokens', 'cost'] as const),
];

/** Counts what the AI did in the range: the sessions it answered, those it resolved, its turns and their cost. */
export const countAi = (db: Db, scope: Scope): Promise<Groups> =>
  countFacts(db, {
    scope,
    facts: sql.join([resolutionSums(scope), beside(scope, [sessionSums(scope), turnSums(scope)])], sql` union all `),
    figures: FIGURES,
    nameOf: nameOfSessionKey(scope),
  });

/** Selects some of the sums of rows by their key, and 0 for the others. */
const select = (
  scope: Scope,
  sums: Partial<Record<(typeof SUMS)[number], RawBuilder<unknown>>>,
  { keys = SESSION_KEYS, sumRows = sumsBy, ...rows }: Rows,
): RawBuilder<unknown> => sumRows(scope, keys, { ...rows, sums: columnsOf(sums) });

type Rows = Omit<Counted, 'by' | 'sums'> & { keys?: typeof SESSION_KEYS; sumRows?: typeof sumsBy };

const columnsOf = (sums: Partial<Record<(typeof SUMS)[number], RawBuilder<unknown>>>) =>
  named(
    Object.fromEntries(
      SUMS.map((name) => [name, sums[name] ?? (name === 'cost' ? sql`numeric '0'` : sql`bigint '0'`)]),
    ),
  );

const ANSWERED = sql`ai_messages > 0`;

const sessionSums = (scope: Scope): RawBuilder<unknown> =>
  select(
    scope,
    {
      sessions: sql`count(*)`,
      answered_by_ai: countOf(ANSWERED),
      only_by_ai: countOf(sql`${ANSWERED} and agent_messages = 0 and first_handoff_at is null`),
    },
    {
      columns: sql`session.ai_messages, session.agent_messages, session.first_handoff_at`,
      from: sql`sessions as session`,
      where: sql`${inSessions(scope)} and session.contact_messages > 0`,
      at: sql`session.created_at`,
    },
  );

/**
 * A contact comes back by a message in the session, or by another session. Most write nothing more in the session. Where
 * the contact did and nobody wrote later than 72 hours after, the contact wrote before: no message is read for that.
 */
const CAME_BACK = sql`
  session.last_contact_seq > resolution.seq and (
    session.last_message_at <= resolution.created_at + interval '72 hours' or exists (
      select from session_events as later
      where later.org_id = resolution.org_id and later.session_id = resolution.session_id and later.seq > resolution.seq
        and later.sender = 'contact' and later.created_at <= resolution.created_at + interval '72 hours'
    )
  ) or exists (
    select from sessions as other
    where other.org_id = session.org_id and other.contact_id = session.contact_id and other.id <> session.id
      and other.created_at > resolution.created_at and other.created_at <= resolution.created_at + interval '72 hours'
      and other.contact_messages > 0
  )`;

const resolutionSums = (scope: Scope): RawBuilder<unknown> =>
  select(
    scope,
    { resolved_by_ai: sql`count(*)`, came_back: countOf(sql`has_come_back`) },
    {
      sumRows: parallelSums,
      columns: sql`${CAME_BACK} as has_come_back`,
      from: sql`session_events as resolution
        join sessions as session on session.org_id = resolution.org_id and session.id = resolution.session_id`,
      where: sql`${inSessions(scope)} and resolution.org_id = ${scope.orgId} and resolution.type = 'ai_resolved_issue'`,
      at: sql`resolution.created_at`,
    },
  );

const KEYS_OF_TURNS = { channel: sql`turn.channel`, team: sql`turn.team_id` };

const ofTurns = (scope: Scope): RawBuilder<unknown> =>
  sql`${ofSessions(scope, 'turn')} and turn.org_id = ${scope.orgId} and turn.state <> 'superseded'`;

const inState = (state: string) => countOf(sql`state = ${sql.lit(state)}`);

const turnSums = (scope: Scope): RawBuilder<unknown> =>
  select(
    scope,
    {
      turns: sql`count(*)`,
      turns_answered: inState('answered'),
      turns_asked: inState('asked'),
      turns_handed_off: inState('handed_off'),
      turns_skipped: inState('skipped'),
      input_tokens: sql`sum(input_tokens)`,
      output_tokens: sql`sum(output_tokens)`,
      cost: sql`sum(cost)`,
    },
    {
      columns: sql`turn.state, turn.input_tokens, turn.output_tokens, turn.cost`,
      from: sql`ai_turns as turn`,
      where: ofTurns(scope),
      at: sql`turn.created_at`,
      keys: KEYS_OF_TURNS,
    },
  );

const sum = (name: (typeof SUMS)[number]) => sumOf(sql.ref(name));

const FIGURES = sql`
  ${summed(SUMS)},
  ${share(sum('answered_by_ai'), sum('sessions'))} as answered_share, ${share(sum('only_by_ai'), sum('sessions'))} as only_by_ai_share,
  ${share(sum('came_back'), sum('resolved_by_ai'))} as came_back_share`;
