import { addUnreadableMessage } from '../../../conversations/messages/inbound.service.ts';
import type { Trx } from '../../../db/connect.ts';
import type { MailAuthenticity } from '../../../providers/email/authenticator.ts';
import { receiveStatusUpdates } from '../../callbacks/status-reports.service.ts';
import { findInbox } from '../../email-inboxes/service.ts';
import type { ReceivedFiles } from '../files.service.ts';
import { ccOf, findContinuedSession, idBesides, providerOfInbox } from '../inbox-mail.service.ts';
import { findInbound } from '../messages.queries.ts';
import { receiveMessage } from '../messages.service.ts';
import type { Classification, ReplyMail } from './rules.ts';
import type { InboundEmailsTable } from './table.ts';

const UNREADABLE_NOTE =
  'The contact sent an e-mail that could not be read. Ask them to send it once more, as plain text or without attachments.';

/** A stored e-mail with the recipient and contact of its delivery, and with what is known of its files and its origin. */
export type ReadEmail = Pick<InboundEmailsTable, 'id' | 'kind' | 'delivery_id' | 'inbox_id' | 'mail_from' | 'rcpt_to'> &
  MailAuthenticity & { to: string | null; contact_id: string | null; received: ReceivedFiles };

/** Does what an e-mail asks for by its verdict: it settles a delivery, or continues or opens a session. */
export async function applyEmail(trx: Trx, orgId: string, email: ReadEmail, verdict: Classification): Promise<void> {
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

/** Adds an e-mail to the session that it continues, or to a new one in the inbox's team. Each inbox has it once by its Message-ID and sender. */
async function applyInboxMail(
  trx: Trx,
  orgId: string,
  email: ReadEmail,
  verdict: { from: string; mail: ReplyMail },
): Promise<void> {
  const { inbox_id: inboxId } = email;
  const inbox = inboxId === null ? undefined : await findInbox(trx, orgId, inboxId);
  const session = await findContinuedSession(trx, orgId, { inboxId, isForged: email.isForged, ...verdict });
  const message = await messageOf(trx, email, verdict);
  const provider = providerOfInbox(inboxId ?? email.rcpt_to);
  const known = await findInbound(trx, orgId, { ...message, provider });
  const isOthers = known !== undefined && known.from !== message.from;
  return receiveMessage(trx, orgId, {
    ...message,
    provider,
    providerId: isOthers ? idBesides(message.providerId, message.from) : message.providerId,
    deliveryId: undefined,
    sender: session?.contact_id ?? undefined,
    inbox: { sessionId: session?.id, teamId: inbox?.team_id ?? null },
  });
}

async function messageOf(
  trx: Trx,
  { id, rcpt_to, inbox_id, received, isAuthentic }: ReadEmail,
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
  { kind, mail_from, to, contact_id: contactId, delivery_id }: ReadEmail,
  mayBeReply: boolean,
): Promise<void> {
  const from = kind === 'inbox' ? mail_from.toLowerCase() : to;
  if (!mayBeReply || from === null) return;
  const message = { channel: 'email', contactId, from, inReplyTo: delivery_id ?? undefined } as const;
  await addUnreadableMessage(trx, orgId, message, UNREADABLE_NOTE);
}
