export interface MessageOverridesTable {
  org_id: string;
  message_id: string;
  sealed: string;
}

declare module '../../db/database.ts' {
  interface Database {
    message_overrides: MessageOverridesTable;
  }
}
