import type { Decision } from '../outcome.rules.ts';
import { answerFromPlan } from './answer.service.ts';
import { applyGates, confirmWaitingCall, reportDecidedCalls } from './gates.service.ts';
import { planAnswer } from './plan.service.ts';
import { quotePages } from './quotes.service.ts';
import { recognizeMessages } from './recognition.service.ts';
import type { DecisionInput, Stage } from './stage.ts';

/** The stages of a decision, in their order. Each is named after what it does for the turn. */
const STAGES = {
  /** A yes or a no decides the call that waits for it. */
  confirmation: confirmWaitingCall,
  /** Calls that people have decided are made, and the contact hears of them. */
  calls: reportDecidedCalls,
  /** Who has the session, what cannot be read, the wish for a person, prohibited topics, a loop, thanks. */
  gates: applyGates,
  /** A model plans: it calls actions, hands off, or says what to search. */
  plan: planAnswer,
  /** A model answers from passages and receipts, and each part of its answer is checked. */
  answer: answerFromPlan,
  /** Without a model's answer, pages are quoted, or the org's handoff level decides. */
  quotes: quotePages,
} satisfies Record<string, Stage>;

/**
 * Decides how a turn ends: by the first stage that has a decision. Writes only through the effects of the context, as a
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
