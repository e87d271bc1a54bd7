import type { ColumnType, Generated } from 'kysely';
import type { InboundFile } from '../../providers/sending.ts';
import type { Channel } from '../contract.ts';

export type { InboundFile } from '../../providers/sending.ts';

/** A file with its position among those of its message. */
export type LateFile = InboundFile & { position: number };

export interface InboundMessagesTable {
  org_id: string;
  id: string;
  channel: Channel;
  provider: string;
  provider_id: string;
  from: string;
  to: string;
  /** The provider's id of the number that it came to, if messages are sent by that and not by the number. */
  to_id: string | null;
  subject: string | null;
  /** Of an e-mail: the Message-IDs of its thread before it. */
  thread: string[] | null;
  /** The address that the sender of an e-mail wants answers at, if it is another one. */
  reply_to: string | null;
  /** Of an e-mail: who else has it, without us. */
  cc: string[] | null;
  /** Of an e-mail: its HTML, sanitized. */
  html: string | null;
  /** The stored e-mail that it was. */
  email_id: string | null;
  /** The inbox that it came to, or that it answers. */
  inbox_id: string | null;
  /** The name that the sender has given themselves. */
  sender_name: string | null;
  body: string;
  contact_id: string | null;
  delivery_id: string | null;
  /** False for a mere opt-out, and for a change of an earlier message. */
  is_reply: Generated<boolean>;
  received_at: Generated<Date>;
  /** The files to be fetched from the provider before the message is added to its session, as JSON. */
  files: InboundFile[] | null;
  /** The files that the provider withheld, and that are tried for a day. */
  late_files: ColumnType<LateFile[] | null, never, string | null>;
  /** The beginning of what came from the provider, of a message that was not understood. Never shown. */
  raw: string | null;
  /** When a message that waits for its files was last edited by the contact. */
  edited_at: Date | null;
  /** When a message that waits for its files was deleted by the contact. */
  deleted_at: Date | null;
}

declare module '../../db/database.ts' {
  interface Database {
    inbound_messages: InboundMessagesTable;
  }
}
