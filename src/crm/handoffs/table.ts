import type { Generated } from 'kysely';
import type { HandoffPart } from '../../providers/crm/port.ts';

export type PartState = 'pending' | 'running' | 'parked' | 'done' | 'skipped' | 'failed' | 'settled';

/** The parts of a handoff in the other system. */
export interface CrmHandoffPartsTable {
  org_id: string;
  session_id: string;
  part: HandoffPart;
  position: number;
  /** The number of the handoff in its session that it was last opened for. 0: none, a workflow's step wanted it. */
  handoff_number: Generated<number>;
  state: Generated<PartState>;
  external_id: string | null;
  error: string | null;
  attempts: Generated<number>;
  /** Whether an attempt without an answer may have had its effect. */
  is_ambiguous: Generated<boolean>;
  first_tried_at: Date | null;
  last_tried_at: Date | null;
  next_try_at: Date | null;
  /** Until when the current attempt owns it. An attempt extends this while it is under way. */
  leased_until: Date | null;
  updated_at: Generated<Date>;
}

export type TicketStage = 'closed' | 'open';

/** The stages that tickets are still to be moved to, until that is done. */
export interface CrmDueStagesTable {
  org_id: string;
  session_id: string;
  stage: TicketStage;
  due_since: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    crm_handoff_parts: CrmHandoffPartsTable;
    crm_due_stages: CrmDueStagesTable;
  }
}
