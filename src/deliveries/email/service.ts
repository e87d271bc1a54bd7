import type { Db } from '../../db/connect.ts';
import { invalid } from '../../errors.ts';
import { looksLikeHtml } from '../../html/markup.rules.ts';
import { idOf, newId } from '../../ids.ts';
import { insertOfCommands, start } from '../../outbox/outbox.ts';
import { wakeForCommands } from '../../outbox/wake.ts';
import { SEND_EMAILS } from '../contract.ts';
import { isVerifiedSender } from '../email-domains/service.ts';
import { fillPlaceholders } from './placeholders.service.ts';
import { insertEmails, listRequestedEmails } from './queries.ts';
import type { SendEmail } from './schema.ts';

const MS_PER_MINUTE = 60_000;

interface EmailRequestOptions {
  isDevelopment: boolean;
  hasPlaceholders?: boolean;
  requestKey?: string;
}

/**
 * Accepts e-mails for sending, now or after the delay. Returns a delivery id for each. Outside of development, throws
 * invalid unless they come from a verified domain. A request repeated under its key finds its e-mails and sends nothing
 * again. `hasPlaceholders`: the texts are templates for the contacts of the addresses.
 */
export async function requestEmails(
  db: Db,
  orgId: string,
  input: SendEmail,
  { isDevelopment, hasPlaceholders = false, requestKey }: EmailRequestOptions,
) {
  const requestId = requestKey === undefined ? newId() : idOf(orgId, requestKey);
  const made = requestKey === undefined ? [] : await listRequestedEmails(db, orgId, requestId);
  if (made.length > 0) return responseOf(input, made);
  if (!isDevelopment && !(await isVerifiedSender(db, orgId, input.from_email))) {
    const message = 'must be of a verified sending domain: see PUT /email/domains';
    throw invalid(`body.from_email: ${message}`, [{ path: 'body.from_email', message }]);
  }
  const delayMs = Math.round((input.delay_in_minutes ?? 0) * MS_PER_MINUTE);
  const written = input.recipients.map((recipient) => ({
    id: newId(),
    to: recipient.to_email.toLowerCase(),
    content: {
      from_email: input.from_email,
      subject: recipient.email_subject ?? input.fallback_email_subject ?? '',
      sender_name: recipient.email_sender_name ?? input.fallback_email_sender_name ?? null,
      ...bodyOf(input, recipient),
      is_transactional: recipient.email_is_transactional,
    },
  }));
  const emails = hasPlaceholders ? await fillPlaceholders(db, orgId, written) : written;
  const summary = `${emails.length} e-mail${emails.length === 1 ? '' : 's'} from ${input.from_email}`;
  const command = start(SEND_EMAILS, { orgId, requestId, delayMs }, { subjectId: requestId, summary });
  const request = { id: requestId, from_email: input.from_email, delayMs };
  await insertEmails(db, orgId, request, { emails, commands: insertOfCommands(orgId, [command]) });
  wakeForCommands(db);
  return responseOf(input, emails);
}

/** A recipient's own body has the recipient's own format, else the one of the request. */
function bodyOf(
  { fallback_email_body, is_html }: SendEmail,
  recipient: SendEmail['recipients'][number],
): { body: string; is_html: boolean } {
  const body = recipient.email_body ?? fallback_email_body ?? '';
  const said = recipient.email_body === undefined ? is_html : (recipient.is_html ?? is_html);
  return { body, is_html: said ?? looksLikeHtml(body) };
}

const responseOf = ({ recipients }: SendEmail, emails: { id: string }[]) => ({
  data: emails.map(({ id }, index) => ({ id, to_email: recipients[index]?.to_email ?? '', status: 'queued' })),
});
