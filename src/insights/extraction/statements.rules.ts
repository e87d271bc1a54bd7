import { findQuote } from '../../ai/answers/quotes.rules.ts';
import { ownWordsOf } from '../../conversations/own-words/own-words.rules.ts';
import { withoutGreeting } from '../../conversations/summary/greetings.rules.ts';
import { sentencesOf } from '../../conversations/summary/sentences.rules.ts';
import type { Sentiment, StatementKind } from '../schema.ts';

/** A message of the customer. */
export interface CustomerMessage {
  id: string;
  text: string;
  at: Date;
}

/** A statement of the customer, with the words that show it. */
export interface Statement {
  kind: StatementKind | null;
  content: string;
  quote: string;
  messageId: string;
  at: Date;
  sentiment: Sentiment | null;
}

const MAX_CHARACTERS = 500;
const MIN_LETTERS = 5;
const QUESTION = /[?？؟;]["'”’)]*$/u;

/**
 * Returns the longest sentence of the customer's first message with words of its own, or undefined if no message has
 * any.
 */
export function statementByQuote(messages: readonly CustomerMessage[]): Statement | undefined {
  for (const { id, text, at } of messages) {
    const sentences = sentencesOf(withoutGreeting(ownWordsOf(text))).filter(isLongEnough);
    const longest = sentences.reduce((best, one) => (one.length > best.length ? one : best), '');
    if (longest === '') continue;
    const quote = shortened(longest);
    return { kind: isQuestion(longest) ? 'question' : null, content: quote, quote, messageId: id, at, sentiment: null };
  }
  return undefined;
}

const isLongEnough = (sentence: string): boolean => (sentence.match(/[\p{L}\p{N}]/gu) ?? []).length >= MIN_LETTERS;

/** Greek alone ends a question with a semicolon. */
const isQuestion = (sentence: string): boolean =>
  QUESTION.test(sentence) && (!/;["'”’)]*$/u.test(sentence) || /\p{sc=Greek}/u.test(sentence));

/** A model's claim about a message. `message` counts the customer's messages from 1. */
export interface ClaimedStatement {
  kind: StatementKind;
  content: string;
  quote: string;
  message: number;
  sentiment: Sentiment | null;
}

/** Returns a model's statement with its quote as the customer wrote it, or undefined if no message has it word for word. */
export function verifiedStatement(
  { kind, content, quote, message, sentiment }: ClaimedStatement,
  messages: readonly CustomerMessage[],
): Statement | undefined {
  const named = messages[message - 1];
  for (const said of named === undefined ? messages : [named, ...messages]) {
    const found = findQuote(said.text, quote, { minWords: 1 });
    if (found === undefined) continue;
    return {
      kind,
      content: shortened(content.replaceAll(/\s+/g, ' ').trim()),
      quote: said.text.slice(found.start, found.end),
      messageId: said.id,
      at: said.at,
      sentiment,
    };
  }
  return undefined;
}

const shortened = (text: string): string =>
  text.length <= MAX_CHARACTERS
    ? text
    : `${text
        .slice(0, MAX_CHARACTERS - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`;
