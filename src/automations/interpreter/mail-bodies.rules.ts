import { looksLikeHtml } from '../../html/markup.rules.ts';
import { escapeHtml } from '../../html/page.rules.ts';
import type { Encoding } from '../blocks/references.rules.ts';
import type { Json } from '../blocks/schema.ts';
import { fieldsOf } from '../json.rules.ts';

type Fields = { [key: string]: Json };

/**
 * Returns the input of a `send-email` step with `is_html` for each of its bodies. The text of the step decides, not what is put
 * into it.
 */
export function withFormats(input: Json): Json {
  const fields = fieldsOf(input);
  const { recipients, is_html } = fields;
  const formatted = withFormat(fields, 'fallback_email_body', is_html);
  if (!Array.isArray(recipients)) return formatted;
  return {
    ...formatted,
    recipients: recipients.map((recipient) =>
      isFields(recipient) ? withFormat(recipient, 'email_body', is_html) : recipient,
    ),
  };
}

/** Returns the encoding of values in a body that may be HTML. */
export const bodyEncoding = (key: string, holder: Fields): Encoding | undefined =>
  (key === 'email_body' || key === 'fallback_email_body') && holder.is_html !== false ? escapeHtml : undefined;

function withFormat(holder: Fields, key: string, fallback: Json | undefined): Fields {
  const body = holder[key];
  return typeof body === 'string' ? { ...holder, is_html: holder.is_html ?? fallback ?? looksLikeHtml(body) } : holder;
}

const isFields = (value: Json): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
