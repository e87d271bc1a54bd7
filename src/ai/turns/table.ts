import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { SessionChannel } from '../../schemas/parts.ts';
import type { TurnState } from './states.rules.ts';

/** One attempt of the AI to answer. A session has at most one open turn. */
export interface AiTurnsTable {
  org_id: string;
  id: string;
  session_id: string;
  /** Counts the turns of the session from 1. */
  number: number;
  state: TurnState;
  reason: string | null;
  /** The answering agent: `extractive-1`, or the name of a model. */
  agent: string | null;
  /** The `seq` of the first and the last answered message. */
  first_seq: number;
  last_seq: number;
  /** The ids of the answered messages. */
  answers: string[];
  /** The id of its message, if it says anything. */
  message_id: string;
  has_message: Generated<boolean>;
  config_version: number;
  /** The number of consecutive turns ended for a newer message, this one not included. */
  supersedes: Generated<number>;
  /** How often it was begun, also after a crash, and after the database was away. */
  tries: Generated<number>;
  /** How often it has failed while the database was there. */
  failures: Generated<number>;
  /** Whether an action was called. Such a turn is not given up for a newer message. */
  has_effects: Generated<boolean>;
  /** How often texts of the session had been removed when it was begun. */
  redactions: Generated<number>;
  /** The contact's vote on the answer. */
  is_helpful: boolean | null;
  /** The confidence of an extractive answer. */
  score: number | null;
  /** The usage of its steps. The database sums it up as steps are inserted. */
  input_tokens: GeneratedAlways<number>;
  output_tokens: GeneratedAlways<number>;
  cost: GeneratedAlways<string>;
  /** The session's current ones. The database copies them. */
  channel: GeneratedAlways<SessionChannel>;
  team_id: GeneratedAlways<string | null>;
  due_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
  created_at: Generated<Date>;
}

/** The tokens of a step. */
export interface StepUsage {
  input: number;
  output: number;
  cached: number;
  estimated: boolean;
}

/** The work of a turn, step by step. Texts are in `decision` alone. */
export interface AiStepsTable {
  org_id: string;
  turn_id: string;
  step: number;
  purpose: 'gates' | 'search' | 'plan' | 'call' | 'answer';
  model: string | null;
  tries: Generated<number>;
  usage: ColumnType<StepUsage | null, string | null | undefined, string | null>;
  cost: string | null;
  latency_ms: number;
  detail: ColumnType<Record<string, unknown>, string | undefined, string>;
  /** The decision, with texts. Null if nothing continues from it, and after a redaction. */
  decision: ColumnType<unknown, string | null | undefined, string | null>;
  created_at: Generated<Date>;
}

/** The sources of an answer, each with the exact place of its quote. */
export interface AiClaimsTable {
  org_id: string;
  turn_id: string;
  position: number;
  item_id: string;
  chunk: number;
  url: string | null;
  title: string;
  heading: string;
  /** Null for a page only pointed at by the answer. */
  quote: string | null;
  /** In UTF-16 code units of the item's text. */
  start_offset: number;
  end_offset: number;
  /** SHA-256 of the passage, in hex. */
  hash: string;
  id: Generated<string>;
  /** When the passage was found to be gone. Null while it is there. */
  changed_at: Date | null;
}

declare module '../../db/database.ts' {
  interface Database {
    ai_turns: AiTurnsTable;
    ai_steps: AiStepsTable;
    ai_claims: AiClaimsTable;
  }
}
