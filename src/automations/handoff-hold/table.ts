import type { Generated } from 'kysely';

/** Handoffs on hold until runs have ended. */
export interface HandoffHoldsTable {
  org_id: string;
  id: string;
  /** The session to hand off. */
  session_id: string;
  is_elsewhere: boolean;
  /** The number of the handoff in its session, from 1. */
  handoff_number: number;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    handoff_holds: HandoffHoldsTable;
  }
}
