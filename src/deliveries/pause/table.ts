import type { Generated } from 'kysely';

/** Has a row once the operator has paused all sending. */
export interface SendingPauseTable {
  is_only_row: Generated<true>;
  reason: string | null;
  paused_at: Generated<Date>;
  /** Null: it is paused now. */
  resumed_at: Date | null;
}

declare module '../../db/database.ts' {
  interface Database {
    sending_pause: SendingPauseTable;
  }
}
