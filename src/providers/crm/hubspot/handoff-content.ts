import type { HandoffFacts } from '../port.ts';
import { type HtmlConversion, htmlOf } from './html.ts';
import type { MessageText } from './threads/messages.ts';

/** The heading and the lines of a summary, if there is one. */
const aboveOf = ({ summary }: HandoffFacts): string[] => (summary === '' ? [] : [`Summary\n${summary}`, '']);

const line = (label: string, value: string | null) => (value === null || value === '' ? [] : [`${label}: ${value}`]);

/** Returns a ticket's description of its session. */
export const ticketContent = (facts: HandoffFacts): string =>
  [
    ...aboveOf(facts),
    ...line('Reason', facts.reason),
    ...line('Language', facts.language),
    `Conversation: ${facts.sessionUrl}`,
  ].join('\n');

/** The line that tells another handoff of a session from those before it. */
const numberOf = ({ handoffNumber }: HandoffFacts): string[] =>
  handoffNumber > 1 ? line('Handoff', String(handoffNumber)) : [];

/** Returns the comment for the agents in the thread of a handoff, or on its ticket. */
export function handoffComment(markup: HtmlConversion, facts: HandoffFacts): MessageText & { marks: string[] } {
  const { sentiment, language, sessionUrl } = facts;
  const numbered = numberOf(facts);
  const above = [...aboveOf(facts), ...line('Sentiment', sentiment), ...line('Language', language), ...numbered];
  const url = markup.escapeHtml(sessionUrl);
  return {
    marks: [sessionUrl, ...numbered],
    text: [...above, `Conversation: ${sessionUrl}`].join('\n'),
    richText: `${above.map((text) => `${htmlOf(markup, text)}<br>`).join('')}Conversation: <a href="${url}">${url}</a>`,
  };
}
