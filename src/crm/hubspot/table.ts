/** Access tokens that are in use, encrypted. */
export interface CrmTokensTable {
  org_id: string;
  /** Of which settings: a digest. Another one's token is of no use. */
  connection: string;
  sealed: string | null;
  expires_at: Date | null;
}

/** When an org may call its CRM again. */
export interface CrmBudgetsTable {
  org_id: string;
  kind: 'request' | 'search';
  next_at: Date;
}

declare module '../../db/database.ts' {
  interface Database {
    crm_budgets: CrmBudgetsTable;
    crm_tokens: CrmTokensTable;
  }
}
