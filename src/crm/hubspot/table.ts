/** Current access tokens, encrypted. */
export interface CrmTokensTable {
  org_id: string;
  /** A digest of the connection's settings. A token of other settings is not used. */
  connection: string;
  sealed: string | null;
  expires_at: Date | null;
}

/** When an org may next call its CRM. */
export interface CrmRateLimitsTable {
  org_id: string;
  kind: 'request' | 'search';
  next_at: Date;
}

declare module '../../db/database.ts' {
  interface Database {
    crm_rate_limits: CrmRateLimitsTable;
    crm_tokens: CrmTokensTable;
  }
}
