/** When each sender may send next, for senders with a limit per minute. */
export interface SenderRatesTable {
  org_id: string;
  sender: string;
  slot_at: Date;
  used: number;
}

declare module '../../db/database.ts' {
  interface Database {
    sender_rates: SenderRatesTable;
  }
}
