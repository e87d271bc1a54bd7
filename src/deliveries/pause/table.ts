import type { Generated } from 'kysely';

/** Has a row while the operator has paused all sending. */
export interface SendingPauseTable {
  is_only_row: Generated<true>;
  reason: string | null;
  paused_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    sending_pause: SendingPauseTable;
  }
}
