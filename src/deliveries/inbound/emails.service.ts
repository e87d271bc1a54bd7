import { createHash } from 'node:crypto';
import { addUnreadableMessage } from '../../conversations/messages/inbound.service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { discardMedia } from '../../media/service.ts';
import { enqueue, start } from '../../outbox/outbox.ts';
import type { Storage } from '../../providers/storage/port.ts';
import { receiveStatusUpdates } from '../callbacks/status-reports.service.ts';
import { type InboundEmailRef, type InboundEmailResult, RECEIVE_INBOUND_EMAIL } from '../contract.ts';
import { type MailReader, MailReadTimeout } from '../mail/mail-reader.ts';
import type { ParsedEmail } from '../mail/parsed-mail.rules.ts';
import { findDelivery } from '../queries.ts';
import { addTimeout, findInboundEmail, findRawMail, insertInboundEmail, updateResult } from './emails.queries.ts';
import { type AnsweredDelivery, type Classification, classify } from './emails.rules.ts';
import { type ReceivedFiles, storeFiles } from './files.service.ts';
import type { Mailbox, MailTokens } from './mail-tokens.ts';
import { receiveMessage } from './messages.service.ts';

export { deleteOldRawMail } from './emails.queries.ts';

/** After this many readings that took too long, the e-mail is unreadable. */
const MAX_TIMEOUTS = 5;
const UNREADABLE_NOTE =
  'The contact sent an e-mail that could not be read. Ask them to send it once more, as plain text or without attachments.';

export interface ReceivedMail {
  mailFrom: string;
  recipients: { address: string; mailbox: Mailbox }[];
  raw: Buffer;
}

export interface InboundEmailDeps {
  db: Db;
  tokens: MailTokens;
  mailReader: MailReader;
  storage: Storage;
}

/** Stores an e-mail for each of its recipients and schedules its processing. A repeated e-mail is stored once. */
export function storeInboundEmail(db: Db, { mailFrom, recipients, raw }: ReceivedMail): Promise<void> {
  return inTransaction(db, async (trx) => {
    for (const { address, mailbox } of recipients) {
      const { orgId, deliveryId, kind } = mailbox;
      const id = newId();
      const rcptTo = address.toLowerCase();
      const sha256 = createHash('sha256').update(`${rcptTo}\n`).update(raw).digest();
      const isNew = await insertInboundEmail(trx, orgId, { id, kind, deliveryId, mailFrom, rcptTo, sha256, raw });
      if (!isNew) continue;
      const subject = { subjectId: deliveryId, summary: `Process an e-mail to the ${kind} address` };
      await enqueue(trx, orgId, start(RECEIVE_INBOUND_EMAIL, { orgId, inboundEmailId: id }, subject));
    }
  });
}

/**
 * Reads a stored e-mail and applies it as a bounce or a reply. One that cannot be read is noted in the session that it
 * would have continued. A repeated run changes nothing. `attempt`: the number of this one, from 1. Throws MailReadTimeout if the e-mail is to be read again.
 */
export async function receiveInboundEmail(
  { db, tokens, mailReader, storage }: InboundEmailDeps,
  { orgId, inboundEmailId: id, attempt }: InboundEmailRef & { attempt: number },
): Promise<InboundEmailResult> {
  const email = await findInboundEmail(db, orgId, id);
  if (email === undefined) throw notFound('inbound email');
  if (email.result !== null) return email.result;

  const mail = await readMail(db, mailReader, orgId, id);
  const arrival = {
    kind: email.kind,
    deliveryId: email.delivery_id,
    to: email.to ?? '',
    mailFrom: email.mail_from,
  };
  const verdict = classify(arrival, mail, mail && (await findAnswered(db, tokens, orgId, mail)));
  const { is_recent: isRecent } = email;
  const files = verdict.result === 'reply' ? filesOf(mail) : [];
  const received = await storeFiles(storage, orgId, { messageId: id, files, isRecent, attempt });
  await inTransaction(db, async (trx) => {
    if (await updateResult(trx, orgId, id, verdict.result))
      await apply(trx, orgId, { id, ...email, received }, verdict);
  });
  // The files of an e-mail that came to two of our addresses are stored by the first.
  if (received.media.length > 0) await discardMedia(db, storage, received.media);
  return verdict.result;
}

/** Returns undefined if the e-mail cannot be read. */
async function readMail(db: Db, reader: MailReader, orgId: string, id: string): Promise<ParsedEmail | undefined> {
  try {
    return await reader.read(orgId, () => findRawMail(db, orgId, id));
  } catch (error) {
    if (!(error instanceof MailReadTimeout) || (await addTimeout(db, orgId, id)) < MAX_TIMEOUTS) throw error;
    return undefined;
  }
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

const filesOf = (mail: ParsedEmail | undefined) =>
  (mail?.files ?? []).map(({ name = 'file', content }) => ({ what: name, name, load: async () => content }));

type StoredEmail = NonNullable<Awaited<ReturnType<typeof findInboundEmail>>> & { id: string; received: ReceivedFiles };

async function apply(
  trx: Trx,
  orgId: string,
  { id, delivery_id, rcpt_to, to, contact_id: contactId, received }: StoredEmail,
  verdict: Classification,
): Promise<void> {
  switch (verdict.result) {
    case 'bounced':
    case 'failed':
      return receiveStatusUpdates(trx, orgId, [
        { provider: 'dsn', providerId: id, deliveryId: delivery_id, ...verdict.bounce },
      ]);
    case 'reply': {
      const { from, deliveryId } = verdict;
      const { messageId = id, fromName: name, replyTo, thread, ...mail } = verdict.mail;
      const message = {
        channel: 'email',
        provider: 'smtp',
        providerId: messageId,
        from,
        to: rcpt_to,
        subject: mail.subject,
        body: mail.body,
        isAutomated: mail.isAutomated,
        name,
        replyTo,
        thread,
        deliveryId,
        ...received,
      } as const;
      return receiveMessage(trx, orgId, message);
    }
    case 'unreadable': {
      if (!verdict.mayBeReply || to === null) return;
      const message = { channel: 'email', contactId, from: to, inReplyTo: delivery_id } as const;
      return addUnreadableMessage(trx, orgId, message, UNREADABLE_NOTE);
    }
    default: // only recorded
  }
}
