import type { Sender } from '../history/events.schema.ts';
import { ownWordsOf } from '../own-words/own-words.rules.ts';
import { chooseSentences } from './choice.rules.ts';
import { withoutGreeting } from './greetings.rules.ts';
import { sentencesOf } from './sentences.rules.ts';

const MAX_SENTENCE_CHARACTERS = 300;
const SENDER_NAMES: Record<Sender, string> = { contact: 'Customer', human_agent: 'Agent', ai: 'AI', system: 'System' };

/**
 * Returns the summary of a conversation: its longest sentences, unchanged and in their order, each on a line with its
 * speaker. Null if nobody has said anything.
 */
export function summaryOf(messages: readonly { sender: Sender; text: string }[]): string | null {
  const sentences = messages.map(({ text }) =>
    sentencesOf(withoutGreeting(ownWordsOf(text)))
      .filter((sentence) => !sentence.endsWith(':')) // it leads to a quotation or a list
      .map(shortened),
  );
  const chosen = chooseSentences(sentences.map((ofMessage) => ofMessage.map(({ length }) => length)));
  const lines = chosen.map(({ message, sentence }) => {
    const sender = messages[message]?.sender ?? 'system';
    return `${SENDER_NAMES[sender]}: ${sentences[message]?.[sentence]}`;
  });
  return lines.length === 0 ? null : lines.join('\n');
}

const shortened = (sentence: string): string =>
  sentence.length <= MAX_SENTENCE_CHARACTERS
    ? sentence
    : `${sentence.slice(0, MAX_SENTENCE_CHARACTERS - 1).toWellFormed()}…`;
