import type { ColumnType, Generated } from 'kysely';
import type { PreviewedTurn, PreviewMessage, Stub } from '../ai/preview/schema.ts';
import type { AiSettings } from '../ai/settings/schema.ts';
import type { SessionChannel } from '../schemas/parts.ts';
import type { CheckResult } from './checks.rules.ts';
import type { Checks, Drift } from './schema.ts';

type Json<T> = ColumnType<T, string, string>;
type JsonOrNull<T> = ColumnType<T | null, string | null | undefined, string | null>;

/** A conversation, and what its next turn has to do. */
export interface AiEvalCasesTable {
  org_id: string;
  id: string;
  name: string;
  messages: Json<PreviewMessage[]>;
  channel: SessionChannel;
  contact_id: string | null;
  verified: boolean;
  stubs: Json<Stub[]>;
  checks: Json<Checks>;
  /** The session that the case was made of. Its redaction deletes the case. */
  session_id: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

/** A run of an org's cases. An org has at most one that has not ended. */
export interface AiEvalRunsTable {
  org_id: string;
  id: string;
  settings: 'draft' | 'published';
  started_by: 'api' | 'nightly';
  state: 'running' | 'done' | 'canceled';
  /** The settings of the run: the fields that differ from the defaults. */
  config: Json<Partial<AiSettings>>;
  /** Null: a draft. */
  config_version: number | null;
  cases: Generated<number>;
  passed: Generated<number>;
  failed: Generated<number>;
  cost: Generated<string>;
  drift: JsonOrNull<Drift>;
  created_at: Generated<Date>;
  ended_at: Date | null;
}

/** What a case came to in a run. */
export interface AiEvalResultsTable {
  org_id: string;
  run_id: string;
  position: number;
  case_id: string;
  session_id: string | null;
  name: string;
  /** The case as it was when the run began. Null once it is redacted. */
  definition: JsonOrNull<EvalDefinition>;
  state: 'waiting' | 'passed' | 'failed';
  checks: ColumnType<CheckResult[], string | undefined, string>;
  /** Why it could not be run. */
  error: string | null;
  turn: JsonOrNull<PreviewedTurn>;
  cost: string | null;
  latency_ms: number | null;
  ended_at: Date | null;
}

export interface EvalDefinition {
  messages: PreviewMessage[];
  channel: SessionChannel;
  contact_id: string | null;
  verified: boolean;
  stubs: Stub[];
  checks: Checks;
}

/** A case before it is stored. */
export interface CaseDraft extends EvalDefinition {
  name: string;
  session_id: string | null;
}

declare module '../db/database.ts' {
  interface Database {
    ai_eval_cases: AiEvalCasesTable;
    ai_eval_runs: AiEvalRunsTable;
    ai_eval_results: AiEvalResultsTable;
  }
}
