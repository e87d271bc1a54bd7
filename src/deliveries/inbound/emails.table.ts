import type { Generated } from 'kysely';
import type { InboundEmailResult } from '../contract.ts';
import type { MailboxKind } from './mail-tokens.ts';

export interface InboundEmailsTable {
  org_id: string;
  id: string;
  kind: MailboxKind;
  /** The one that its recipient's address was made for. */
  delivery_id: string;
  /** Empty for a bounce, which must not bounce itself. */
  mail_from: string;
  rcpt_to: string;
  /** Of the recipient and the raw mail. */
  sha256: Buffer;
  /** The mail as it came, for 30 days. */
  raw: Buffer | null;
  received_at: Generated<Date>;
  processed_at: Date | null;
  result: InboundEmailResult | null;
}

declare module '../../db/database.ts' {
  interface Database {
    inbound_emails: InboundEmailsTable;
  }
}
