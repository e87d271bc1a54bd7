import {
  asksForPerson,
  findProhibitedTopic,
  isAcknowledgement,
  isEmptyMessage,
  readDecision,
} from './recognition.rules.ts';

/** What decides, before anything is searched, how a turn ends. */
export interface GateFacts {
  aiState: 'on' | 'off' | 'paused';
  isBlocked: boolean;
  isClosed: boolean;
  /** Whether a person is assigned or has replied after the contact's last message. */
  peopleHaveIt: boolean;
  /** Whether it is an e-mail that a program must not answer. */
  isAutoSubmitted: boolean;
  /** The contact's messages to answer, joined by line ends. */
  text: string;
  hasOnlyAttachments: boolean;
  language: string | null;
  /** Languages in which it may thank, or ask for a person, as well: its own is not known for sure. */
  otherLanguages: readonly string[];
  prohibitedTopics: readonly string[];
  isBudgetLeft: boolean;
  /** Whether the contact has asked the same before, and the AI has answered. */
  repeatsQuestion: boolean;
  turnsWithoutProgress: number;
  maxTurnsWithoutProgress: number;
  /** Whether an action waits for the contact's yes or no. */
  waitingConfirmation: boolean;
}

export type GateSkipReason = 'off' | 'blocked' | 'people_have_it' | 'auto_reply' | 'acknowledgement';
export type GateHandoffReason = 'user_request' | 'unreadable' | 'budget' | 'not_helping';

export type GateDecision =
  | { kind: 'skip'; reason: GateSkipReason }
  | { kind: 'handoff'; reason: GateHandoffReason }
  | { kind: 'handoff'; reason: 'prohibited_topic'; topic: string }
  | { kind: 'confirm' | 'reject' | 'go_on' };

/**
 * Returns what the first gate that holds decides; `go_on` if none does. In order: who has the session, what cannot be
 * read, the wish for a person, yes or no to an action, prohibited topics, the budget, a loop, thanks. A message without
 * text and attachments says as much as thanks. Thanks are no question, so thanks twice are no loop.
 */
export const decideGate = (facts: GateFacts): GateDecision =>
  possession(facts) ?? unreadable(facts) ?? request(facts) ?? topic(facts) ?? limits(facts) ?? { kind: 'go_on' };

function possession({ aiState, isBlocked, isClosed, peopleHaveIt }: GateFacts): GateDecision | undefined {
  if (aiState === 'off') return { kind: 'skip', reason: 'off' };
  if (isBlocked) return { kind: 'skip', reason: 'blocked' };
  return aiState === 'paused' || isClosed || peopleHaveIt ? { kind: 'skip', reason: 'people_have_it' } : undefined;
}

function unreadable({ isAutoSubmitted, text, hasOnlyAttachments }: GateFacts): GateDecision | undefined {
  if (isAutoSubmitted) return { kind: 'skip', reason: 'auto_reply' };
  if (hasOnlyAttachments) return { kind: 'handoff', reason: 'unreadable' };
  return isEmptyMessage(text) ? { kind: 'skip', reason: 'acknowledgement' } : undefined;
}

function request({ text, language, otherLanguages, waitingConfirmation }: GateFacts): GateDecision | undefined {
  if (asksForPerson(text, language, otherLanguages)) return { kind: 'handoff', reason: 'user_request' };
  const decision = waitingConfirmation ? readDecision(text, language) : undefined;
  return decision && { kind: decision === 'yes' ? 'confirm' : 'reject' };
}

function topic({ text, prohibitedTopics }: GateFacts): GateDecision | undefined {
  const found = findProhibitedTopic(text, prohibitedTopics);
  return found === undefined ? undefined : { kind: 'handoff', reason: 'prohibited_topic', topic: found };
}

function limits(facts: GateFacts): GateDecision | undefined {
  const { text, language, otherLanguages, repeatsQuestion, turnsWithoutProgress, maxTurnsWithoutProgress } = facts;
  if (!facts.isBudgetLeft) return { kind: 'handoff', reason: 'budget' };
  const isThanks = isAcknowledgement(text, language, otherLanguages);
  if ((repeatsQuestion && !isThanks) || turnsWithoutProgress >= maxTurnsWithoutProgress)
    return { kind: 'handoff', reason: 'not_helping' };
  return isThanks ? { kind: 'skip', reason: 'acknowledgement' } : undefined;
}
