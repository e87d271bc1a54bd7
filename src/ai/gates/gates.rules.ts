import {
  asksForPerson,
  findProhibitedTopic,
  isAcknowledgement,
  isSameQuestion,
  saysSolved,
} from './recognition.rules.ts';

/** What the gates look at. */
export interface GateFacts {
  /** The contact's messages to answer. */
  texts: string[];
  /** The contact's messages before them, as far as the AI knows them. */
  earlierTexts: string[];
  hasAttachments: boolean;
  isAnsweredByAi: boolean;
  language: string | null;
  prohibitedTopics: string[];
}

export type GateResult =
  | 'unreadable'
  | 'user_request'
  | 'prohibited_topic'
  | 'same_question'
  | 'solved'
  | 'acknowledgement'
  | 'go_on';

/**
 * Returns the first gate that holds for messages, in their order: nothing to read, a wish for a person, a prohibited
 * topic, the same question again, a solved issue, thanks. `go_on` if none does.
 */
export function gateOf(facts: GateFacts): { result: GateResult; topic?: string } {
  const { language } = facts;
  const texts = facts.texts.filter((text) => text.trim() !== '');
  const last = texts.at(-1);
  if (last === undefined) return { result: facts.hasAttachments ? 'unreadable' : 'acknowledgement' };
  if (texts.some((text) => asksForPerson(text, language))) return { result: 'user_request' };
  const topic = texts
    .map((text) => findProhibitedTopic(text, facts.prohibitedTopics))
    .find((found) => found !== undefined);
  if (topic !== undefined) return { result: 'prohibited_topic', topic };
  if (facts.isAnsweredByAi && facts.earlierTexts.some((text) => isSameQuestion(text, last)))
    return { result: 'same_question' };
  if (facts.isAnsweredByAi && texts.every((text) => saysSolved(text, language) || isAcknowledgement(text, language)))
    return { result: texts.some((text) => saysSolved(text, language)) ? 'solved' : 'acknowledgement' };
  return { result: texts.every((text) => isAcknowledgement(text, language)) ? 'acknowledgement' : 'go_on' };
}
