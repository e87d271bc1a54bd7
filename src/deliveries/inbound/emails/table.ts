import type { ColumnType, Generated } from 'kysely';
import type { InboundEmailResult } from '../../contract.ts';
import type { Mailbox } from '../mail-tokens.ts';

/** What an e-mail was sent to: the bounce or reply address of a delivery, or an inbox of an org. */
export type MailTarget = Mailbox | { kind: 'inbox'; orgId: string; inboxId: string };

/** The mail server that handed an e-mail over. */
export interface MailClient {
  ip: string;
  /** The name that it gave. */
  helo: string;
}

export interface InboundEmailsTable {
  org_id: string;
  id: string;
  kind: MailTarget['kind'];
  /** The delivery named by the recipient address, unless that is an inbox. */
  delivery_id: string | null;
  /** The inbox of the recipient address, until it is deleted. */
  inbox_id: string | null;
  /** Null for an e-mail that came through the API. */
  client: ColumnType<MailClient | null, string | null, never>;
  /** Empty for a bounce: a bounce must not bounce itself. */
  mail_from: string;
  rcpt_to: string;
  /** Hash of the recipient and the raw e-mail. */
  sha256: Buffer;
  /** The raw e-mail as received, or the beginning of a large one, stored for 30 days. Without it, the database has no parts either. */
  raw: Buffer | null;
  received_at: Generated<Date>;
  /** How often reading it took too long. */
  timeouts: Generated<number>;
  processed_at: Date | null;
  result: InboundEmailResult | null;
}

/** What follows the beginning of a large e-mail. */
export interface InboundEmailPartsTable {
  org_id: string;
  email_id: string;
  /** From 1. */
  position: number;
  bytes: Buffer;
}

declare module '../../../db/database.ts' {
  interface Database {
    inbound_emails: InboundEmailsTable;
    inbound_email_parts: InboundEmailPartsTable;
  }
}
