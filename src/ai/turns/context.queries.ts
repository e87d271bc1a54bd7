import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';
import { fruitlessTurns } from './queries.ts';
import type { AiTurnsTable } from './table.ts';

/** SQL of other rooms and domains, each for one column of the facts. */
interface FactSources<Config, Agent, Message> {
  config: RawBuilder<Config>;
  agent: RawBuilder<Agent>;
  messages: RawBuilder<Message[]>;
  isBlocked: RawBuilder<boolean>;
  isProviderConnected: RawBuilder<boolean>;
  redactions: RawBuilder<number>;
  hasUnreported: RawBuilder<boolean>;
}

/** An open turn. */
export type OpenTurn = Pick<
  AiTurnsTable,
  'id' | 'number' | 'answers' | 'message_id' | 'first_seq' | 'last_seq' | 'config_version'
> & {
  state: 'waiting' | 'running';
  supersedes: number;
  has_effects: boolean;
  /** Whether it began before a text of the session was removed, and may have read it. */
  is_redacted: boolean;
};

export type LastTurn = Pick<AiTurnsTable, 'state' | 'last_seq'> & { supersedes: number };

interface TurnFacts<Config, Agent, Message> {
  config: Config;
  agent: Agent;
  messages: Message[];
  is_blocked: boolean;
  is_provider_connected: boolean;
  has_unreported: boolean;
  open: OpenTurn | null;
  last: LastTurn | null;
  /** The last message handled by ended turns, as a `seq`; 0 without any. */
  answered_seq: number;
  /** The same without the messages skipped only because the AI was not allowed to answer. */
  settled_seq: number;
  /** The number of turns without an answer right before the next one. */
  fruitless: number;
}

/** Returns the facts of a locked session's turns, with the other facts for the next one's decision. */
export async function getTurnFacts<Config, Agent, Message>(
  trx: Trx,
  orgId: string,
  { id, ai_context_seq }: { id: string; ai_context_seq: number },
  {
    config,
    agent,
    messages,
    isBlocked,
    isProviderConnected,
    redactions,
    hasUnreported,
  }: FactSources<Config, Agent, Message>,
): Promise<TurnFacts<Config, Agent, Message>> {
  const ofSession = sql`org_id = ${orgId} and session_id = ${id}`;
  const { rows } = await sql<TurnFacts<Config, Agent, Message>>`
    select ${config} as config, ${agent} as agent, ${messages} as messages, ${isBlocked} as is_blocked,
      ${isProviderConnected} as is_provider_connected, ${hasUnreported} as has_unreported,
      (
        select jsonb_build_object('id', id, 'number', number, 'answers', answers, 'message_id', message_id,
          'first_seq', first_seq, 'last_seq', last_seq, 'config_version', config_version, 'state', state,
          'supersedes', supersedes, 'has_effects', has_effects,
          'is_redacted', state = 'running' and redactions < ${redactions})
        from ai_turns where ${ofSession} and ended_at is null
      ) as open,
      (
        select jsonb_build_object('state', state, 'last_seq', last_seq, 'supersedes', supersedes)
        from ai_turns where ${ofSession} order by number desc limit 1
      ) as last,
      answered.*, ${fruitlessTurns(orgId, id, ai_context_seq)} as fruitless
    from (
      select coalesce(max(last_seq), 0) as answered_seq,
        coalesce(max(last_seq) filter (where state <> 'skipped' or reason not in ('people_have_it', 'off')), 0) as settled_seq
      from ai_turns where ${ofSession} and ended_at is not null and state <> 'superseded'
    ) as answered
  `.execute(trx);
  const [facts] = rows;
  if (facts === undefined) throw new Error('An aggregate always has a row');
  return facts;
}
