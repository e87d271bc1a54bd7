import type { Generated } from 'kysely';

/** A phone call with a session whose end is not known. */
export interface PhoneCallsUnderWayTable {
  org_id: string;
  /** Of the received call, or of the delivery. */
  id: string;
  /** The voice platform's id of it. */
  provider_id: string;
  begun_at: Generated<Date>;
  /** When the platform is asked how it ended. */
  check_at: Generated<Date>;
}

declare module '../../../db/database.ts' {
  interface Database {
    phone_calls_under_way: PhoneCallsUnderWayTable;
  }
}
