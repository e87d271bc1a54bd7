import type { Generated } from 'kysely';
import type { AgentVersion, AutopilotChannel } from './schema.ts';

export interface AutopilotTable {
  org_id: string;
  channel: AutopilotChannel;
  autopilot_enabled: boolean;
  ai_agent_version: AgentVersion;
  updated_at: Generated<Date>;
}

declare module '../db/database.ts' {
  interface Database {
    autopilot: AutopilotTable;
  }
}
