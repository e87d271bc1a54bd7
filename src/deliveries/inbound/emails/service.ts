import { addUnreadableMessage } from '../../../conversations/messages/inbound.service.ts';
import type { Db, Trx } from '../../../db/connect.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { notFound, tooLarge } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import { discardMedia } from '../../../media/service.ts';
import { type Spool, spoolOf } from '../../../media/spool.ts';
import { enqueue, start } from '../../../outbox/outbox.ts';
import type { MailAuthenticator, MailAuthenticity } from '../../../providers/email/authenticator.ts';
import type { Storage } from '../../../providers/storage/port.ts';
import { receiveStatusUpdates } from '../../callbacks/status-reports.service.ts';
import { type InboundEmailRef, type InboundEmailResult, RECEIVE_INBOUND_EMAIL } from '../../contract.ts';
import { findInbox } from '../../email-inboxes/service.ts';
import { trustedResult } from '../../mail/authentication-results.rules.ts';
import { type MailReader, type MailReading, MailReadTimeout, NO_MAIL } from '../../mail/mail-reader.ts';
import type { MailFile, ParsedEmail } from '../../mail/parsed-mail.rules.ts';
import type { RawMail } from '../../mail/raw-mail.ts';
import { findDelivery } from '../../queries.ts';
import { type ReceivedFiles, storeFiles } from '../files.service.ts';
import { ccOf, findContinuedSession, isFromOwnInbox } from '../inbox-mail.service.ts';
import type { MailTokens } from '../mail-tokens.ts';
import { receiveMessage } from '../messages.service.ts';
import { addTimeout, findInboundEmail, findInboundEmailBySha256, updateResult } from './queries.ts';
import { hashOf, insertRawMail, openRawMail } from './raw-mails.service.ts';
import { type AnsweredDelivery, type Classification, classify, type ReplyMail } from './rules.ts';
import type { MailClient, MailTarget } from './table.ts';

export { deleteOldRawMail } from './queries.ts';

/** After this many readings that took too long, the e-mail is unreadable. */
const MAX_TIMEOUTS = 5;
const UNREADABLE_NOTE =
  'The contact sent an e-mail that could not be read. Ask them to send it once more, as plain text or without attachments.';

export interface ReceivedMail {
  mailFrom: string;
  recipients: { address: string; mailbox: MailTarget }[];
  raw: RawMail;
  /** The mail server that handed it over; absent if it came through the API. */
  client?: MailClient;
}

export interface InboundEmailDeps {
  db: Db;
  tokens: MailTokens;
  mailReader: MailReader;
  storage: Storage;
  authenticator: MailAuthenticator;
  /** The ids of mail servers whose Authentication-Results count, in lower case. */
  trustedAuthservIds: readonly string[];
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
 * would have continued. A repeated run changes nothing. `attempt`: the number of this one, from 1. Throws MailReadTimeout if the e-mail is to be read again.
 */
export async function receiveInboundEmail(
  deps: InboundEmailDeps,
  { orgId, inboundEmailId: id, attempt }: InboundEmailRef & { attempt: number },
): Promise<InboundEmailResult> {
  const { db, tokens, mailReader, storage } = deps;
  const email = await findInboundEmail(db, orgId, id);
  if (email === undefined) throw notFound('inbound email');
  if (email.result !== null) return email.result;

  await using reading = await readMail(db, mailReader, orgId, id);
  const { mail, raw } = reading;
  const arrival = {
    kind: email.kind,
    deliveryId: email.delivery_id,
    to: email.to ?? '',
    mailFrom: email.mail_from,
  };
  const verdict = classify(arrival, mail, {
    answered: mail && (await findAnswered(db, tokens, orgId, mail)),
    isOwn: mail !== undefined && (await isOwnMail(db, tokens, orgId, mail)),
  });
  const { is_recent: isRecent } = email;
  const files = verdict.result === 'reply' || verdict.result === 'mail' ? filesOf(mail) : [];
  const stored = await storeFiles(storage, orgId, { messageId: id, files, isRecent, attempt });
  const received = { ...stored, missing: [...(mail?.isCut ? [REST_OF_TEXT] : []), ...stored.missing] };
  const authenticity =
    mail === undefined || raw === null ? NOTHING_PROVEN : await authenticityOf(deps, { ...email, mail, raw });
  await inTransaction(db, async (trx) => {
    if (await updateResult(trx, orgId, id, verdict.result))
      await apply(trx, orgId, { id, ...email, received, ...authenticity }, verdict);
  });
  // The files of an e-mail that came to two of our addresses are stored by the first.
  if (received.media.length > 0) await discardMedia(db, storage, received.media);
  return verdict.result;
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

const NOTHING_PROVEN: MailAuthenticity = { isAuthentic: false, isForged: false };

/** Returns what a trusted mail server has found out about an e-mail, or what its signatures and its way show. */
async function authenticityOf(
  { authenticator, trustedAuthservIds: trusted }: InboundEmailDeps,
  { mail_from, client, mail, raw }: Pick<FoundEmail, 'mail_from' | 'client'> & { mail: ParsedEmail; raw: RawMail },
): Promise<MailAuthenticity> {
  const { from, authentication } = mail;
  if (from === undefined) return NOTHING_PROVEN;
  const result = trustedResult(authentication, { trusted, domain: from.slice(from.lastIndexOf('@') + 1) });
  if (result !== undefined) return { isAuthentic: result === 'pass', isForged: result === 'fail' };
  return authenticator.authenticate(raw.open(), {
    from,
    mailFrom: mail_from,
    client: trusted.length > 0 ? null : client,
    signatures: authentication.signatures,
  });
}

/** Finds the org's delivery whose Message-ID an e-mail names. */
async function findAnswered(
  db: Db,
  tokens: MailTokens,
  orgId: string,
  { answers }: ParsedEmail,
): Promise<AnsweredDelivery | undefined> {
  const ref = answers.map(tokens.findRef).find((delivery) => delivery?.orgId === orgId);
  if (ref === undefined) return undefined;
  const { deliveryId } = ref;
  return { deliveryId, to: (await findDelivery(db, orgId, deliveryId))?.to ?? '' };
}

/** Whether the org itself sent an e-mail that came to one of its inboxes. */
const isOwnMail = async (db: Db, tokens: MailTokens, orgId: string, { messageId = '', from }: ParsedEmail) =>
  tokens.findRef(messageId)?.orgId === orgId || (from !== undefined && (await isFromOwnInbox(db, orgId, from)));

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

type FoundEmail = NonNullable<Awaited<ReturnType<typeof findInboundEmail>>>;
type StoredEmail = FoundEmail & MailAuthenticity & { id: string; received: ReceivedFiles };

async function apply(trx: Trx, orgId: string, email: StoredEmail, verdict: Classification): Promise<void> {
  switch (verdict.result) {
    case 'bounced':
    case 'failed':
      return receiveStatusUpdates(trx, orgId, [
        { provider: 'dsn', providerId: email.id, deliveryId: verdict.deliveryId, ...verdict.bounce },
      ]);
    case 'reply': {
      const message = await messageOf(trx, email, verdict);
      return receiveMessage(trx, orgId, { ...message, provider: 'smtp', deliveryId: verdict.deliveryId });
    }
    case 'mail':
      return applyInboxMail(trx, orgId, email, verdict);
    case 'unreadable':
      return noteUnreadable(trx, orgId, email, verdict.mayBeReply);
    default: // only recorded
  }
}

/** Adds an e-mail to the session that it continues, or to a new one in the inbox's team. Each inbox has it once. */
async function applyInboxMail(
  trx: Trx,
  orgId: string,
  email: StoredEmail,
  verdict: { from: string; mail: ReplyMail },
): Promise<void> {
  const { inbox_id: inboxId } = email;
  const inbox = inboxId === null ? undefined : await findInbox(trx, orgId, inboxId);
  const session = await findContinuedSession(trx, orgId, { inboxId, isForged: email.isForged, ...verdict });
  const message = await messageOf(trx, email, verdict);
  return receiveMessage(trx, orgId, {
    ...message,
    provider: `inbox/${inboxId ?? email.rcpt_to}`,
    deliveryId: undefined,
    sender: session?.contact_id ?? undefined,
    inbox: { sessionId: session?.id, teamId: inbox?.team_id ?? null },
  });
}

async function messageOf(
  trx: Trx,
  { id, rcpt_to, inbox_id, received, isAuthentic }: StoredEmail,
  { from, mail }: { from: string; mail: ReplyMail },
) {
  const { messageId = id, fromName: name, replyTo, thread, subject, body, html, isAutomated, recipients } = mail;
  const cc = await ccOf(trx, { recipients, except: [from, rcpt_to] });
  const content = { subject, body, html, isAutomated, name, replyTo, thread, cc };
  const origin = { providerId: messageId, from, to: rcpt_to, emailId: id, inboxId: inbox_id ?? undefined, isAuthentic };
  return { channel: 'email' as const, ...origin, ...content, ...received };
}

/** Asks for a readable e-mail in the session of the delivery that it answers, or in a new one if it came to an inbox. */
async function noteUnreadable(
  trx: Trx,
  orgId: string,
  { kind, mail_from, to, contact_id: contactId, delivery_id }: StoredEmail,
  mayBeReply: boolean,
): Promise<void> {
  const from = kind === 'inbox' ? mail_from.toLowerCase() : to;
  if (!mayBeReply || from === null) return;
  const message = { channel: 'email', contactId, from, inReplyTo: delivery_id ?? undefined } as const;
  await addUnreadableMessage(trx, orgId, message, UNREADABLE_NOTE);
}
