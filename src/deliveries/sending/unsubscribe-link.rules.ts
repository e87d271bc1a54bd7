import { looksLikeHtml } from '../../html/markup.rules.ts';
import { escapeHtml } from '../../html/page.rules.ts';

const PLACEHOLDER = /(?<!\\)\{\{ {0,9}unsubscribe_url {0,9}\}\}/g;
/** As a template with the placeholder leaves it, see `withUnsubscribePlaceholder`. */
const LEFT_PLACEHOLDER = '{{unsubscribe_url}}';
const BODY_END = /<\/body\s*>/i;

/**
 * Returns a template that keeps `{{unsubscribe_url}}` as it is: only the sender of an e-mail knows the link of its
 * delivery.
 */
export const withUnsubscribePlaceholder = (template: string): string =>
  template.replaceAll(PLACEHOLDER, `\\${LEFT_PLACEHOLDER}`);

interface LinkedBody {
  body: string;
  isHtml: boolean | undefined;
  url: string;
  /** Whether the link is added if the body has no placeholder for it. */
  isRequired: boolean;
}

/** Returns the body of an e-mail with its link for unsubscribing, at its placeholder or else at the end. */
export function bodyWithUnsubscribeLink({ body, isHtml = looksLikeHtml(body), url, isRequired }: LinkedBody): string {
  if (body.includes(LEFT_PLACEHOLDER)) return body.replaceAll(LEFT_PLACEHOLDER, isHtml ? escapeHtml(url) : url);
  if (!isRequired) return body;
  if (!isHtml) return `${body.trimEnd()}\n\nUnsubscribe: ${url}\n`;
  const footer = `<p style="font-size:12px"><a href="${escapeHtml(url)}">Unsubscribe</a></p>`;
  const end = body.search(BODY_END);
  return end === -1 ? `${body}\n${footer}` : `${body.slice(0, end)}${footer}${body.slice(end)}`;
}
