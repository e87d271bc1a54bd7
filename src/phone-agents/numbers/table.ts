import type { Generated } from 'kysely';

/** Numbers of the voice platform with the phone agents that take their calls. */
export interface PhoneNumbersTable {
  org_id: string;
  /** The platform's id of the number. */
  provider_id: string;
  /** E.164, or a SIP URI. Null if the platform shows none. */
  number: string | null;
  phone_agent_id: string;
  bound_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    phone_numbers: PhoneNumbersTable;
  }
}
