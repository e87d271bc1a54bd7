import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { SessionChannel } from '../schemas/parts.ts';
import type { SlaMetric } from './clocks/timelines.rules.ts';
import type { SlaAssignment } from './policies/schema.ts';

export interface SlaPoliciesTable {
  org_id: string;
  id: string;
  name: string;
  office_hours_id: string | null;
  first_reply_target_seconds: number | null;
  next_reply_target_seconds: number | null;
  resolution_target_seconds: number | null;
  /** Null matches no session. */
  assignment: ColumnType<SlaAssignment | null, string | null | undefined, string | null>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface SessionSlasTable {
  org_id: string;
  session_id: string;
  policy_id: string;
  /** Whether the session was closed at the last evaluation. */
  is_over: Generated<boolean>;
  /** When its clocks are to be evaluated next. Null if no clock runs towards a target. */
  next_at: Generated<Date | null>;
  /**
   * When the session came under a policy: the time of the event that brought it, not of the reaction to it. Clocks stopped
   * before do not count.
   */
  applied_at: Generated<Date>;
}

export interface SlaClocksTable {
  org_id: string;
  session_id: string;
  metric: SlaMetric;
  cycle: number;
  policy_id: string | null;
  target_seconds: number;
  elapsed_seconds: number;
  /** The number of its changes recorded in the session's history. */
  changes_told: number;
  warned_at: Date | null;
  /** When the target was passed, set once the breach is announced. */
  breached_at: Date | null;
  stopped_at: Date | null;
  outcome: 'met' | 'breached' | null;
  decided_at: Date | null;
  /** The session's current ones. The database copies them. */
  channel: GeneratedAlways<SessionChannel>;
  team_id: GeneratedAlways<string | null>;
  assignee_id: GeneratedAlways<number | null>;
}

declare module '../db/database.ts' {
  interface Database {
    session_slas: SessionSlasTable;
    sla_clocks: SlaClocksTable;
    sla_policies: SlaPoliciesTable;
  }
}
