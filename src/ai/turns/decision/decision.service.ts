import type { Decision } from '../outcome.rules.ts';
import { answerFromPlan } from './answer.service.ts';
import { applyGates, confirmWaitingCall, reportDecidedCalls } from './gates.service.ts';
import { planAnswer } from './plan.service.ts';
import { quotePages } from './quotes.service.ts';
import { recognizeMessages } from './recognition.service.ts';
import type { DecisionInput, Stage } from './stage.ts';

/** The stages of a decision, in their order. Each is named after its work for the turn. */
const STAGES = {
  /** A yes or a no decides the call waiting for it. */
  confirmation: confirmWaitingCall,
  /** Calls decided by people are made, and the contact hears of them. */
  calls: reportDecidedCalls,
  /** A session with people, unreadable messages, the wish for a person, prohibited topics, a loop, thanks. */
  gates: applyGates,
  /** A model plans: it calls actions, hands off, or names queries to search. */
  plan: planAnswer,
  /** A model answers from passages and receipts, and each part of its answer is checked. */
  answer: answerFromPlan,
  /** Without a model's answer, pages are quoted, or the org's handoff level decides. */
  quotes: quotePages,
} satisfies Record<string, Stage>;

/**
 * Decides the end of a turn, by the first stage with a decision. Writes only through the effects of the context, as a
 * preview runs the same code. Throws StepNeeded for a step beyond the limits.
 */
export async function decideTurn(input: DecisionInput): Promise<Decision> {
  let turn = await recognizeMessages(input);
  for (const stage of Object.values<Stage>(STAGES)) {
    const result = await stage(turn);
    if (result === undefined) continue;
    if ('decision' in result) return result.decision;
    turn = { ...turn, plan: result.plan };
  }
  throw new Error('The last stage of a decision always decides');
}
