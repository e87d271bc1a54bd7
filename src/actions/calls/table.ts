import type { ColumnType, Generated } from 'kysely';

/** Calls made at most once. */
export interface ActionCallsTable {
  org_id: string;
  key: string;
  /** Null if the call began and its answer was not seen. */
  answer: ColumnType<{ status: number; body: unknown } | null, string | undefined, string>;
  began_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    action_calls: ActionCallsTable;
  }
}
