import type { HandoffFacts } from '../port.ts';
import { type HtmlConversion, htmlOf } from './html.ts';
import type { MessageText } from './threads/messages.ts';

const line = (label: string, value: string | null) => (value === null || value === '' ? [] : [`${label}: ${value}`]);

/** Returns a ticket's description of its session. */
export const ticketContent = ({ summary, reason, language, sessionUrl }: HandoffFacts): string =>
  [
    `Summary\n${summary}`,
    '',
    ...line('Reason', reason),
    ...line('Language', language),
    `Conversation: ${sessionUrl}`,
  ].join('\n');

/** Returns the comment for the agents in the thread of a handoff. */
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
