import {
  type FirstMessage,
  openWithMessages,
  readWords,
} from '../../../../conversations/messages/first-messages.service.ts';
import { resolveSenders } from '../../../../conversations/messages/inbound.service.ts';
import type { Trx } from '../../../../db/connect.ts';
import { ticketNumberIn } from '../../inbox-mail.rules.ts';
import { ccOf, idBesides, providerOfInbox } from '../../inbox-mail.service.ts';
import type { ReplyMail } from '../rules.ts';
import { type FirstMailRow, insertFirstMails, insertProcessedEmails, type MessageKey } from './queries.ts';
import type { JudgedMail } from './reading.service.ts';

/** An e-mail that opens a session in an inbox without a team. */
export type FirstMail = JudgedMail & { inbox_id: string; verdict: { result: 'mail'; from: string; mail: ReplyMail } };

/** A first mail with its words, which take a while to find: they are read before the transaction. */
type FirstMailWithWords = FirstMail & Pick<FirstMessage, 'words'>;

/** A first mail with what its inbox knows it by. */
type KeyedMail = FirstMailWithWords & { key: MessageKey };

export const withWords = async (email: FirstMail): Promise<FirstMailWithWords> => ({
  ...email,
  words: await readWords({ text: email.verdict.mail.body, subject: email.verdict.mail.subject }),
});

/** Whether an e-mail can continue no session, and opens one that no team has to be found for. */
export function isFirstMail(email: JudgedMail): email is FirstMail {
  const { verdict, inbox_id, teamId } = email;
  if (verdict.result !== 'mail' || inbox_id === null || teamId !== null) return false;
  const { answers, thread, subject = '', body } = verdict.mail;
  return body.trim() !== '' && answers.length === 0 && thread.length === 0 && ticketNumberIn(subject) === undefined;
}

/** Stores e-mails that open sessions, each once, and opens these. */
export async function applyFirstMails(trx: Trx, orgId: string, emails: FirstMailWithWords[]): Promise<void> {
  const fresh = await storeNew(trx, orgId, emails);
  if (fresh.length === 0) return;
  const senders = fresh.map(({ verdict }) => ({ from: verdict.from, name: verdict.mail.fromName }));
  const contacts = await resolveSenders(trx, orgId, 'email', senders);
  const rows: FirstMailRow[] = [];
  for (const [nth, email] of fresh.entries()) rows.push(await rowOf(trx, email, contacts[nth]?.id as string));
  const inserted = await insertFirstMails(trx, orgId, rows);
  if (inserted.length < rows.length) throw new Error('an e-mail with the same Message-ID came at the same time');
  const messages = fresh.map((email, nth) =>
    messageOf(email, { contact: contacts[nth] as FirstMessage['contact'], cc: rows[nth]?.cc ?? [] }),
  );
  await openWithMessages(trx, orgId, messages);
}

/**
 * Stores e-mails, and returns those that were not stored before and are the first of their sender in their inbox with
 * their Message-ID. One with the Message-ID of another sender's is known by both, the id and its sender.
 */
async function storeNew(trx: Trx, orgId: string, emails: FirstMailWithWords[]): Promise<KeyedMail[]> {
  const processed = emails.map((email) => {
    const { result, from } = email.verdict;
    return { ...email, result, message: { ...keyOf(email), from } };
  });
  const stored = new Map((await insertProcessedEmails(trx, orgId, processed)).map((one) => [one.id, one]));
  const byKey = new Map<string, KeyedMail>();
  for (const email of emails) {
    const { is_known: isKnown = true, is_others: isOthers = false } = stored.get(email.id) ?? {};
    const { from } = email.verdict;
    const own = keyOf(email);
    const before = byKey.get(`${own.provider} ${own.provider_id}`);
    const isTaken = isOthers || (before !== undefined && before.verdict.from !== from);
    const key = isTaken ? { ...own, provider_id: idBesides(own.provider_id, from) } : own;
    const name = `${key.provider} ${key.provider_id}`;
    if (!isKnown && !byKey.has(name)) byKey.set(name, { ...email, key });
  }
  return [...byKey.values()];
}

/** What an inbox knows a message by, unless it knows another sender's by it. */
const keyOf = ({ id, inbox_id, verdict: { mail } }: FirstMail): MessageKey => ({
  provider: providerOfInbox(inbox_id),
  provider_id: mail.messageId ?? id,
});

async function rowOf(trx: Trx, email: KeyedMail, contactId: string): Promise<FirstMailRow> {
  const { id, messageId, inbox_id, rcpt_to, verdict, key } = email;
  const { from, mail } = verdict;
  return {
    id: messageId,
    email_id: id,
    contact_id: contactId,
    ...key,
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
  { messageId: id, words, authenticity, verdict: { from, mail } }: FirstMailWithWords,
  { contact, cc }: { contact: FirstMessage['contact']; cc: string[] },
): FirstMessage => ({
  id,
  contact,
  cc,
  from,
  text: mail.body,
  name: mail.fromName,
  replyTo: mail.replyTo,
  subject: mail.subject,
  isAutomated: mail.isAutomated,
  isAuthentic: authenticity.isAuthentic,
  words,
});
