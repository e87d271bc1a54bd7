import type { Generated } from 'kysely';
import type { CreatePhoneAgent } from './schema.ts';

export interface PhoneAgentsTable {
  org_id: string;
  id: string;
  name: string;
  type: CreatePhoneAgent['type'];
  /** A model of the voice platform. */
  model: string | null;
  voice_id: string | null;
  language: string | null;
  first_message: string;
  instructions: string[] | null;
  /** E.164. */
  handoff_phone_number: string | null;
  use_org_knowledgebase: boolean;
  action_ids: string[] | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../db/database.ts' {
  interface Database {
    phone_agents: PhoneAgentsTable;
  }
}
