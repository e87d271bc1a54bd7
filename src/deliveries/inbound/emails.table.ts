import type { Generated } from 'kysely';
import type { InboundEmailResult } from '../contract.ts';
import type { MailboxKind } from './mail-tokens.ts';

export interface InboundEmailsTable {
  org_id: string;
  id: string;
  kind: MailboxKind;
  /** The delivery named by the recipient address. */
  delivery_id: string;
  /** Empty for a bounce: a bounce must not bounce itself. */
  mail_from: string;
  rcpt_to: string;
  /** Hash of the recipient and the raw e-mail. */
  sha256: Buffer;
  /** The raw e-mail as received, stored for 30 days. */
  raw: Buffer | null;
  received_at: Generated<Date>;
  /** How often reading it took too long. */
  timeouts: Generated<number>;
  processed_at: Date | null;
  result: InboundEmailResult | null;
}

declare module '../../db/database.ts' {
  interface Database {
    inbound_emails: InboundEmailsTable;
  }
}
