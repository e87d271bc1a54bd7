import type { Db, Trx } from '../../db/connect.ts';
import { findInboxByAddress } from '../email-inboxes/service.ts';
import type { ReplyMail } from './emails/rules.ts';
import {
  type ContinuedSession,
  findSessionByMessageIds,
  findSessionByTicketNumber,
  listInboxAddresses,
} from './inbox-mail.queries.ts';
import { ticketNumberIn } from './inbox-mail.rules.ts';
import { isOwnAddress } from './mail-tokens.ts';

/**
 * Finds the session that an e-mail to an inbox continues: by the Message-ID of a stored e-mail that it answers, or by the
 * ticket number in its subject. Either counts only from an address that takes part in the session, unless its domain
 * says that others forge it.
 */
export async function findContinuedSession(
  trx: Trx,
  orgId: string,
  { inboxId, from, mail, isForged }: { inboxId: string | null; from: string; mail: ReplyMail; isForged: boolean },
): Promise<ContinuedSession | undefined> {
  if (inboxId === null || isForged) return undefined;
  const ids = [...mail.answers, ...mail.thread.toReversed()];
  const answered = ids.length === 0 ? undefined : await findSessionByMessageIds(trx, orgId, { inboxId, ids, from });
  if (answered !== undefined) return answered;
  const ticketNumber = ticketNumberIn(mail.subject ?? '');
  return ticketNumber === undefined
    ? undefined
    : findSessionByTicketNumber(trx, orgId, { inboxId, ticketNumber, from });
}

/** Whether an address is one of the org's inboxes. */
export const isFromOwnInbox = async (db: Db, orgId: string, address: string): Promise<boolean> =>
  (await findInboxByAddress(db, orgId, address)) !== undefined;

/** Returns who else has an e-mail, without the addresses of this installation: an answer to these would come back. */
export async function ccOf(
  db: Db,
  { recipients, except }: { recipients: string[]; except: string[] },
): Promise<string[]> {
  const others = recipients.filter((address) => !except.includes(address) && !isOwnAddress(address));
  const inboxes = others.length === 0 ? [] : await listInboxAddresses(db, others);
  return others.filter((address) => !inboxes.includes(address));
}

/** Returns what an inbox knows an e-mail by if it knows another sender's by the Message-ID already. */
export const idBesides = (messageId: string, from: string): string => `${messageId} ${from}`;

/** Returns what the messages of an inbox have for their provider: each inbox has a message once. */
export const providerOfInbox = (inbox: string): string => `inbox/${inbox}`;
