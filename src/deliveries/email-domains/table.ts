import type { Generated } from 'kysely';
import type { DomainStatus } from './schema.ts';

export interface SendingDomainsTable {
  org_id: string;
  id: string;
  domain: string;
  selector: string;
  public_key: string;
  /** Encrypted. */
  private_key: string;
  status: Generated<DomainStatus>;
  dmarc_status: Generated<DomainStatus>;
  /** The texts in DNS at the name of the key, and at that of the policy, at the last check. */
  found: string[] | null;
  dmarc_found: string[] | null;
  checked_at: Date | null;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    sending_domains: SendingDomainsTable;
  }
}
