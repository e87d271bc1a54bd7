import {
  EMPTY_CONTACT,
  MAX_RENDERED_LENGTH,
  parseTemplate,
  renderHeader,
  renderHtml,
  renderText,
  type Template,
  type TemplateContact,
} from '../../contacts/templates/rules.ts';
import type { Db } from '../../db/connect.ts';
import { invalid } from '../../errors.ts';
import { withUnsubscribePlaceholder } from '../sending/unsubscribe-link.rules.ts';
import { listContactsByEmail, type NewEmail } from './queries.ts';

type Part = 'subject' | 'sender_name' | 'body';

/**
 * Fills the placeholders of e-mails with the fields of the contacts that have their addresses, as sequences do. Without a
 * contact, only the address is known. Throws invalid for a text that is no template, or that becomes too long.
 */
export async function fillPlaceholders(db: Db, orgId: string, emails: NewEmail[]): Promise<NewEmail[]> {
  const personal = emails.filter(({ content }) =>
    [content.subject, content.sender_name, content.body].some((text) => text?.includes('{{')),
  );
  if (personal.length === 0) return emails;
  const addresses = personal.map(({ to }) => to);
  const contacts = new Map((await listContactsByEmail(db, orgId, addresses)).map((one) => [one.email, one]));
  const templates = new Map<string, Template>();
  return emails.map((email, index) => {
    const contact = contacts.get(email.to) ?? { ...EMPTY_CONTACT, email: email.to };
    return { ...email, content: filled(email.content, { contact, index, templates }) };
  });
}

interface Filling {
  contact: TemplateContact;
  /** The place of the recipient in the request. */
  index: number;
  /** Parsed texts, as recipients share most of them. */
  templates: Map<string, Template>;
}

function filled(content: NewEmail['content'], filling: Filling): NewEmail['content'] {
  const { subject, sender_name, body, is_html } = content;
  const render = (part: Part, text: string, write: typeof renderText): string => {
    const rendered = text.includes('{{') ? write(templateOf(part, text, filling), filling.contact) : text;
    return rendered ?? refuse(part, filling, `has more than ${MAX_RENDERED_LENGTH} characters with its values`);
  };
  return {
    ...content,
    subject: render('subject', subject, renderHeader),
    sender_name: sender_name === null ? null : render('sender_name', sender_name, renderHeader),
    body: render('body', body, is_html === true ? renderHtml : renderText),
  };
}

function templateOf(part: Part, text: string, filling: Filling): Template {
  const known = filling.templates.get(text);
  if (known !== undefined) return known;
  const parsed = parseTemplate(withUnsubscribePlaceholder(text));
  if (!('ok' in parsed)) return refuse(part, filling, parsed.problems[0]?.message ?? 'is no template');
  filling.templates.set(text, parsed.ok);
  return parsed.ok;
}

function refuse(part: Part, { index }: Filling, problem: string): never {
  const path = `body.recipients.${index}.email_${part}`;
  throw invalid(`The request is not valid: ${path}: ${problem}`, [{ path, message: problem }]);
}
