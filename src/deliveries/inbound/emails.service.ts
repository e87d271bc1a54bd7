import { createHash } from 'node:crypto';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { enqueue, start } from '../../outbox/outbox.ts';
import { receiveStatusUpdates } from '../callbacks/status-reports.service.ts';
import { type InboundEmailRef, type InboundEmailResult, RECEIVE_INBOUND_EMAIL } from '../contract.ts';
import { deleteOldRawMail, findInboundEmail, findRawMail, insertInboundEmail, updateResult } from './emails.queries.ts';
import { type Classification, classify } from './emails.rules.ts';
import type { MailReader } from './mail-reader.ts';
import type { Mailbox, MailTokens } from './mail-tokens.ts';
import { receiveMessage } from './messages.service.ts';

export interface ReceivedMail {
  mailFrom: string;
  recipients: { address: string; mailbox: Mailbox }[];
  raw: Buffer;
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
      const subject = { subjectId: deliveryId, summary: `E-mail to the ${kind} address` };
      await enqueue(trx, orgId, start(RECEIVE_INBOUND_EMAIL, { orgId, inboundEmailId: id }, subject));
    }
  });
}

/** Reads a stored e-mail and applies it as a bounce or a reply. A repeated run changes nothing. */
export async function receiveInboundEmail(
  db: Db,
  tokens: MailTokens,
  reader: MailReader,
  { orgId, inboundEmailId: id }: InboundEmailRef,
): Promise<InboundEmailResult> {
  const email = await findInboundEmail(db, orgId, id);
  if (email === undefined) throw notFound('inbound email');
  if (email.result !== null) return email.result;

  const mail = await reader.read(orgId, () => findRawMail(db, orgId, id));
  const answered = mail?.answers.map(tokens.findRef).find((delivery) => delivery?.orgId === orgId);
  const arrival = {
    kind: email.kind,
    deliveryId: email.delivery_id,
    to: email.to ?? '',
    mailFrom: email.mail_from,
  };
  const verdict = classify(arrival, mail, answered?.deliveryId);
  await inTransaction(db, async (trx) => {
    if (await updateResult(trx, orgId, id, verdict.result)) await apply(trx, orgId, { id, ...email }, verdict);
  });
  return verdict.result;
}

async function apply(
  trx: Trx,
  orgId: string,
  { id, delivery_id, rcpt_to }: { id: string; delivery_id: string; rcpt_to: string },
  verdict: Classification,
): Promise<void> {
  switch (verdict.result) {
    case 'bounced':
    case 'failed':
      return receiveStatusUpdates(trx, orgId, [
        { provider: 'dsn', providerId: id, deliveryId: delivery_id, ...verdict.bounce },
      ]);
    case 'reply': {
      const { from, body, messageId = id, deliveryId } = verdict;
      const message = {
        channel: 'email',
        provider: 'smtp',
        providerId: messageId,
        from,
        to: rcpt_to,
        body,
        deliveryId,
      } as const;
      return receiveMessage(trx, orgId, message);
    }
    default: // only recorded
  }
}

/**
 * Deletes raw e-mails 30 days after receipt and keeps their classification. Returns the number of deleted ones, bounded
 * per call.
 */
export const deleteExpiredMail = (db: Db): Promise<number> => deleteOldRawMail(db);
