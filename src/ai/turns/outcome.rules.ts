import type { UndeliverableReason } from '../../errors.ts';
import type { QuotedSource } from '../answers/extractive.rules.ts';

/** How a turn ends, before it is stored. */
export type TurnOutcome =
  | { kind: 'skip'; reason: SkipReason }
  /** The session goes to people. `text` is said before it, if anything. */
  | { kind: 'handoff'; reason: HandoffReason; text: string | null; claims: QuotedSource[] }
  /** `reason` says why the text is no answer to the question: the pages may help, or nothing was found. */
  | {
      kind: 'say';
      state: 'answered' | 'asked';
      reason: HandoffReason | 'may_help' | 'partly' | 'in_progress' | null;
      text: string;
      claims: QuotedSource[];
    }
  | { kind: 'resolve' };

export type SkipReason = 'acknowledgement' | 'auto_reply' | 'people_have_it' | 'blocked' | 'off';
export type HandoffReason =
  | 'user_request'
  | 'prohibited_topic'
  | 'missing_knowledge'
  | 'missing_tool'
  | 'unclear_instructions'
  | 'action_failed'
  | 'action_outcome_unknown'
  | 'identity_required'
  | 'provider_down'
  | 'not_helping'
  | 'budget'
  | 'unreadable'
  | UndeliverableReason
  | 'ai_failed';

/** Returns the outcome of a handoff to people, after a text and its quotes. */
export const handoffOf = (reason: HandoffReason, text: string, claims: QuotedSource[] = []): TurnOutcome => ({
  kind: 'handoff',
  reason,
  text,
  claims,
});

/** The end of a turn, and the way to it. */
export interface Decision {
  outcome: TurnOutcome;
  /** The speaker: `extractive-1`, or the name of a model. */
  agent: string;
  score: number | null;
  /** The steps stored with the outcome. */
  steps: {
    step: number;
    purpose: 'gates' | 'search';
    latency_ms: number;
    detail: Record<string, unknown>;
    decision?: unknown;
  }[];
  /** The call to confirm by the answer's question. */
  asks?: string;
  /** The prohibited topic of the messages. */
  topic?: string;
  /** The calls of actions with a decision and an outcome reported by the answer. */
  reportedCalls?: string[];
}

/** They depend on nobody's words. */
const REASONS_OF_OUR_OWN: HandoffReason[] = ['ai_failed', 'no_transport', 'no_address'];

/**
 * Returns whether a decision has only our own words, regardless of the conversation: outcomes of calls, a failure of
 * the AI, or nothing because nothing reaches the contact.
 */
export const isInOurWords = ({ outcome, reportedCalls }: Decision): boolean =>
  reportedCalls !== undefined || (outcome.kind === 'handoff' && REASONS_OF_OUR_OWN.includes(outcome.reason));

/** The end of a turn with this outcome if people have not taken over, and its text. */
export function endOf(outcome: TurnOutcome): {
  state: 'answered' | 'asked' | 'handed_off' | 'skipped';
  reason: string | null;
  text: string | null;
  claims: QuotedSource[];
} {
  const { kind } = outcome;
  if (kind === 'skip') return { state: 'skipped', reason: outcome.reason, text: null, claims: [] };
  if (kind === 'resolve') return { state: 'skipped', reason: 'acknowledgement', text: null, claims: [] };
  const { reason, text, claims } = outcome;
  return { state: kind === 'handoff' ? 'handed_off' : outcome.state, reason, text, claims };
}

/** When people get the session: 0 never for lack of an answer, 1 at once, 2 after questions, 3 after several tries. */
export type HandoffLevel = 0 | 1 | 2 | 3;

/** At level 2 the AI asks this often before people get the session. */
const MAX_QUESTIONS = 2;

export interface WithoutAnswer {
  level: HandoffLevel;
  /** Whether there are pages as pointers. */
  hasPages: boolean;
  /** The number of turns without an answer right before this one. */
  fruitless: number;
  maxFruitless: number;
}

/**
 * Returns the reply and the handoff after a missing answer of the AI. `point` shows the pages that may help, `ask` asks
 * for details, `admit` says nothing was found.
 */
export function withoutAnswer({ level, hasPages, fruitless, maxFruitless }: WithoutAnswer): {
  says: 'point' | 'ask' | 'admit' | 'nothing';
  handsOff: boolean;
} {
  const pages = hasPages ? 'point' : 'nothing';
  if (level === 1) return { says: pages, handsOff: true };
  if (level === 0) return { says: hasPages ? 'point' : fruitless === 0 ? 'ask' : 'admit', handsOff: false };
  const tries = level === 2 ? MAX_QUESTIONS : maxFruitless;
  if (fruitless >= tries) return { says: pages, handsOff: true };
  return { says: hasPages ? 'point' : 'ask', handsOff: false };
}
