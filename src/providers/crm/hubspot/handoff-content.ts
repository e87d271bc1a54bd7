import type { HandoffFacts } from '../port.ts';
import { type HtmlConversion, htmlOf } from './html.ts';
import type { MessageText } from './threads/messages.ts';

const line = (label: string, value: string | null) => (value === null || value === '' ? [] : [`${label}: ${value}`]);

/** What a ticket says of its session. */
export const ticketContent = ({ summary, reason, language, sessionUrl }: HandoffFacts): string =>
  [
    `Summary\n${summary}`,
    '',
    ...line('Reason', reason),
    ...line('Language', language),
    `Conversation: ${sessionUrl}`,
  ].join('\n');

/** What people read in the thread that they take over. */
export function handoffComment(markup: HtmlConversion, facts: HandoffFacts): MessageText & { mark: string } {
  const { summary, sentiment, language, sessionUrl } = facts;
  const above = [`Summary\n${summary}`, '', ...line('Sentiment', sentiment), ...line('Language', language)].join('\n');
  const url = markup.escapeHtml(sessionUrl);
  return {
    mark: sessionUrl,
    text: `${above}\nConversation: ${sessionUrl}`,
    richText: `${htmlOf(markup, above)}<br>Conversation: <a href="${url}">${url}</a>`,
  };
}
