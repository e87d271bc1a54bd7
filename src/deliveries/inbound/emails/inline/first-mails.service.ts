import { type FirstMessage, openWithMessages } from '../../../../conversations/messages/first-messages.service.ts';
import type { Trx } from '../../../../db/connect.ts';
import { ticketNumberIn } from '../../inbox-mail.rules.ts';
import { ccOf, providerOfInbox } from '../../inbox-mail.service.ts';
import type { ReplyMail } from '../rules.ts';
import { type FirstMailRow, insertFirstMails, insertProcessedEmails, updateInboundContacts } from './queries.ts';
import type { JudgedMail } from './reading.service.ts';

/** An e-mail that opens a session in an inbox without a team. */
export type FirstMail = JudgedMail & { inbox_id: string; verdict: { result: 'mail'; from: string; mail: ReplyMail } };

/** Whether an e-mail can continue no session, and opens one that no team has to be found for. */
export function isFirstMail(email: JudgedMail): email is FirstMail {
  const { verdict, inbox_id, teamId } = email;
  if (verdict.result !== 'mail' || inbox_id === null || teamId !== null) return false;
  const { answers, thread, subject = '', body } = verdict.mail;
  return body.trim() !== '' && answers.length === 0 && thread.length === 0 && ticketNumberIn(subject) === undefined;
}

/** Stores e-mails that open sessions, each once, and opens these. */
export async function applyFirstMails(trx: Trx, orgId: string, emails: FirstMail[]): Promise<void> {
  const processed = emails.map((email) => ({ ...email, result: email.verdict.result }));
  const stored = new Set(await insertProcessedEmails(trx, orgId, processed));
  const rows: FirstMailRow[] = [];
  for (const email of emails) if (stored.has(email.id)) rows.push(await rowOf(trx, email));
  const inserted = rows.length === 0 ? [] : await insertFirstMails(trx, orgId, rows);
  if (inserted.length === 0) return;
  const contacts = new Map(inserted.map(({ id, contact_id }) => [id, contact_id]));
  const added = emails.filter(({ messageId }) => contacts.has(messageId));
  const messages = added.map((email) => messageOf(email, contacts.get(email.messageId) ?? null));
  const contactIds = await openWithMessages(trx, orgId, messages);
  const created = messages.flatMap(({ id }, nth) =>
    contacts.get(id) === null ? { id, contactId: contactIds[nth] as string } : [],
  );
  if (created.length > 0) await updateInboundContacts(trx, orgId, created);
}

async function rowOf(
  trx: Trx,
  { id, messageId, inbox_id, rcpt_to, verdict: { from, mail } }: FirstMail,
): Promise<FirstMailRow> {
  return {
    id: messageId,
    email_id: id,
    provider: providerOfInbox(inbox_id),
    provider_id: mail.messageId ?? id,
    from,
    to: rcpt_to,
    subject: mail.subject ?? null,
    reply_to: mail.replyTo ?? null,
    sender_name: mail.fromName ?? null,
    body: mail.body,
    cc: await ccOf(trx, { recipients: mail.recipients, except: [from, rcpt_to] }),
    html: mail.html ?? null,
    inbox_id,
  };
}

const messageOf = (
  { messageId: id, words, authenticity, verdict: { from, mail } }: FirstMail,
  contactId: string | null,
): FirstMessage => ({
  id,
  contactId,
  from,
  text: mail.body,
  name: mail.fromName,
  replyTo: mail.replyTo,
  isAutomated: mail.isAutomated,
  isAuthentic: authenticity.isAuthentic,
  words,
});
