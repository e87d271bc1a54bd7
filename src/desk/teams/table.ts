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
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface TeamMembersTable {
  org_id: string;
  team_id: string;
  user_id: number;
  /** Rises in the team: who was given a session last has the highest. 0: was given none yet. */
  turn: Generated<number>;
}

declare module '../../db/database.ts' {
  interface Database {
    team_members: TeamMembersTable;
    teams: TeamsTable;
  }
}
