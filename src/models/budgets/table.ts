import type { ColumnType, Generated } from 'kysely';

/** A call of a model. It is reserved before it is sent, and settled when its cost is known. */
export interface AiModelCallsTable {
  org_id: string;
  id: string;
  session_id: string | null;
  turn_id: string | null;
  purpose: string;
  model: string;
  reserved_tokens: number;
  /** In the currency of the org's prices. */
  reserved_cost: ColumnType<string, number, number>;
  /** Tokens, null until it is settled. */
  input: number | null;
  output: number | null;
  cached: number | null;
  /** Whether we counted the tokens, as the provider said nothing. */
  is_estimated: boolean | null;
  cost: ColumnType<string | null, number | null, number | null>;
  /** Why there was no answer that can be used. */
  problem: string | null;
  request_id: string | null;
  latency_ms: number | null;
  created_at: Generated<Date>;
  settled_at: Date | null;
}

/** The sums of an org's settled calls on a day (UTC). */
export interface AiUsageTable {
  org_id: string;
  day: string;
  model: string;
  purpose: string;
  calls: number;
  failed_calls: number;
  estimated_calls: number;
  input: number;
  output: number;
  cached: number;
  cost: string;
}

/** What was announced about a budget: each level once in a period, and again if the budget is changed. */
export interface AiBudgetNoticesTable {
  org_id: string;
  budget: 'day' | 'month';
  /** The first day of the period. */
  period: string;
  level: 'warning' | 'exhausted';
  allowance: string;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    ai_model_calls: AiModelCallsTable;
    ai_usage: AiUsageTable;
    ai_budget_notices: AiBudgetNoticesTable;
  }
}
