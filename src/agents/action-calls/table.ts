import type { ColumnType, Generated } from 'kysely';

/** Calls that are made at most once. */
export interface ActionCallsTable {
  org_id: string;
  key: string;
  /** Null: it began, and nobody has seen its end. */
  answer: ColumnType<{ status: number; body: unknown } | null, string | undefined, string>;
  began_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    action_calls: ActionCallsTable;
  }
}
