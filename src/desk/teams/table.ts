import type { Generated } from 'kysely';
import type { AssignmentStrategy } from './schema.ts';

export interface TeamsTable {
  org_id: string;
  id: string;
  name: string;
  description: string | null;
  is_support_enabled: boolean;
  support_office_hours_id: string | null;
  support_assignment_strategy: AssignmentStrategy;
  /** Set while the team's sessions are being cleared. */
  deleted_at: Date | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface TeamMembersTable {
  org_id: string;
  team_id: string;
  user_id: number;
  /** Increases within the team: the member with the latest assignment has the highest. 0: no assignment yet. */
  turn: Generated<number>;
}

declare module '../../db/database.ts' {
  interface Database {
    team_members: TeamMembersTable;
    teams: TeamsTable;
  }
}
