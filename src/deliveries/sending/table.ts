/** When each sender may send next, where its sends a minute are limited. */
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
