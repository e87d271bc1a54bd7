import type { Generated } from 'kysely';
import type { AiVersion, AutopilotChannel } from './schema.ts';

export interface AutopilotTable {
  org_id: string;
  channel: AutopilotChannel;
  autopilot_enabled: boolean;
  ai_agent_version: AiVersion;
  updated_at: Generated<Date>;
}

declare module '../db/database.ts' {
  interface Database {
    autopilot: AutopilotTable;
  }
}
