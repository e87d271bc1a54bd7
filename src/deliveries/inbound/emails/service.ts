import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../db/connect.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { notFound, tooLarge } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import { discardMedia } from '../../../media/service.ts';
import { type Spool, spoolOf } from '../../../media/spool.ts';
import { enqueue, start } from '../../../outbox/outbox.ts';
import type { Storage } from '../../../providers/storage/port.ts';
import { type InboundEmailRef, type InboundEmailResult, RECEIVE_INBOUND_EMAIL } from '../../contract.ts';
import { type MailReader, type MailReading, MailReadTimeout, NO_MAIL } from '../../mail/mail-reader.ts';
import type { MailFile, ParsedEmail } from '../../mail/parsed-mail.rules.ts';
import type { RawMail } from '../../mail/raw-mail.ts';
import { storeFiles } from '../files.service.ts';
import { isFromOwnInbox } from '../inbox-mail.service.ts';
import type { MailTokens } from '../mail-tokens.ts';
import { applyEmail } from './applying.service.ts';
import {
  addTimeout,
  findInboundEmail,
  findInboundEmailBySha256,
  hasEarlierUnprocessed,
  updateResult,
} from './queries.ts';
import { hashOf, insertRawMail, openRawMail } from './raw-mails.service.ts';
import type { MailClient, MailTarget } from './table.ts';
import { type AuthenticityDeps, authenticityOf, NOTHING_PROVEN, verdictOn } from './verdict.service.ts';

export { deleteOldRawMail } from './queries.ts';

/** After this many readings that took too long, the e-mail is unreadable. */
const MAX_TIMEOUTS = 5;
/** How long a run waits for the earlier e-mails of its sender before it is tried again later, and how often it looks. */
const MAX_WAIT_MS = 2_000;
const LOOK_MS = 100;

export interface ReceivedMail {
  mailFrom: string;
  recipients: { address: string; mailbox: MailTarget }[];
  raw: RawMail;
  /** The mail server that handed it over; absent if it came through the API. */
  client?: MailClient;
}

export interface InboundEmailDeps extends AuthenticityDeps {
  db: Db;
  tokens: MailTokens;
  mailReader: MailReader;
  storage: Storage;
}

/**
 * Stores an e-mail for each of its recipients and schedules its processing. A repeated e-mail is stored once. Returns the
 * ids, without those of deleted deliveries and inboxes.
 */
export function storeInboundEmail(
  db: Db,
  { mailFrom, recipients, raw, client }: ReceivedMail,
): Promise<(string | undefined)[]> {
  return inTransaction(db, async (trx) => {
    const ids: (string | undefined)[] = [];
    for (const { address, mailbox } of recipients) {
      const { orgId, kind } = mailbox;
      const id = newId();
      const rcptTo = address.toLowerCase();
      const sha256 = await hashOf(rcptTo, raw);
      const email = { id, target: mailbox, mailFrom, rcptTo, sha256, raw, client: client ?? null };
      if (await insertRawMail(trx, orgId, email)) {
        const subjectId = mailbox.kind === 'inbox' ? mailbox.inboxId : mailbox.deliveryId;
        const subject = { subjectId, summary: `Process an e-mail to ${SUMMARIES[kind]}` };
        await enqueue(trx, orgId, start(RECEIVE_INBOUND_EMAIL, { orgId, inboundEmailId: id }, subject));
        ids.push(id);
      } else ids.push((await findInboundEmailBySha256(trx, orgId, sha256))?.id);
    }
    return ids;
  });
}

const SUMMARIES = { bounce: 'the bounce address', reply: 'the reply address', inbox: 'an inbox' };

/**
 * Reads a stored e-mail and applies it as a bounce or a reply. One that cannot be read is noted in the session that it
 * would have continued. E-mails of one sender are applied in the order in which they were accepted. A repeated run changes
 * nothing. `attempt`: the number of this one, from 1. Throws MailReadTimeout if the e-mail is to be read again.
 */
export async function receiveInboundEmail(
  deps: InboundEmailDeps,
  { orgId, inboundEmailId: id, attempt }: InboundEmailRef & { attempt: number },
): Promise<InboundEmailResult> {
  const { db, tokens, mailReader, storage } = deps;
  const email = await findInboundEmail(db, orgId, id);
  if (email === undefined) throw notFound('inbound email');
  if (email.result !== null) return email.result;
  await untilItsTurn(db, orgId, id);

  await using reading = await readMail(db, mailReader, orgId, id);
  const { mail, raw } = reading;
  const arrival = {
    kind: email.kind,
    deliveryId: email.delivery_id,
    to: email.to ?? '',
    mailFrom: email.mail_from,
  };
  const isOwnInbox = (address: string) => isFromOwnInbox(db, orgId, address);
  const verdict = await verdictOn({ db, tokens, isOwnInbox }, orgId, { arrival, mail });
  const { is_recent: isRecent } = email;
  const files = verdict.result === 'reply' || verdict.result === 'mail' ? filesOf(mail) : [];
  const stored = await storeFiles(storage, orgId, { messageId: id, files, isRecent, attempt });
  const received = { ...stored, missing: [...(mail?.isCut ? [REST_OF_TEXT] : []), ...stored.missing] };
  const authenticity =
    mail === undefined || raw === null
      ? NOTHING_PROVEN
      : await authenticityOf(deps, { mailFrom: email.mail_from, client: email.client, mail, raw });
  await inTransaction(db, async (trx) => {
    if (await updateResult(trx, orgId, id, verdict.result))
      await applyEmail(trx, orgId, { id, ...email, received, ...authenticity }, verdict);
  });
  // The files of an e-mail that came to two of our addresses are stored by the first.
  if (received.media.length > 0) await discardMedia(db, storage, received.media);
  return verdict.result;
}

/** Waits until the earlier e-mails of the sender have been processed. Throws if that takes long. */
async function untilItsTurn(db: Db, orgId: string, id: string): Promise<void> {
  const giveUpAt = performance.now() + MAX_WAIT_MS;
  while (await hasEarlierUnprocessed(db, orgId, id)) {
    if (performance.now() > giveUpAt) throw new Error('an earlier e-mail of this sender is not processed yet');
    await sleep(LOOK_MS);
  }
}

/** Returns no e-mail if it cannot be read. The caller must dispose of the reading. */
async function readMail(db: Db, reader: MailReader, orgId: string, id: string): Promise<MailReading> {
  try {
    return await reader.read(orgId, () => openRawMail(db, orgId, id));
  } catch (error) {
    if (!(error instanceof MailReadTimeout) || (await addTimeout(db, orgId, id)) < MAX_TIMEOUTS) throw error;
    return NO_MAIL;
  }
}

/** Named in the message, as its text is complete in no other place. */
const REST_OF_TEXT = { what: 'the rest of the text', reason: 'too long' };

const filesOf = (mail: ParsedEmail | undefined) =>
  (mail?.files ?? []).map((file) => ({
    what: file.name ?? 'file',
    name: file.name ?? 'file',
    load: async () => bytesOf(file),
  }));

/** Returns the bytes of a file. Throws tooLarge if there were too many to keep. */
function bytesOf({ content, file, size }: MailFile): Spool | Uint8Array {
  if (file !== undefined) return spoolOf({ ...file, size });
  if (content.length < size) throw tooLarge('The file is too large');
  return content;
}
