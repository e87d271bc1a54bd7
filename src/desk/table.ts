import type { ColumnType, Generated } from 'kysely';
import type { Holiday, Shift } from './office-hours/schema.ts';
import type { AssignmentStrategy } from './teams/schema.ts';

export interface OfficeHoursTable {
  org_id: string;
  id: string;
  name: string;
  iana_timezone: string;
  shifts: ColumnType<Shift[], string, string>;
  holidays: ColumnType<Holiday[], string, string>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

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
  /** Increases within the team: the member with the latest assignment has the highest. 0: no assignment yet. */
  turn: Generated<number>;
}

export interface TagsTable {
  org_id: string;
  /** The key shared by all spellings of the name. */
  tag_key: string;
  tag_name: string;
  exclude_from_auto_tagging: boolean;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface TagSettingsTable {
  org_id: string;
  auto_tagging_enabled: boolean;
}
