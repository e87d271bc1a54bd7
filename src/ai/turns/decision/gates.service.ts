import type { SentenceKey } from '../../../recognition/sentences.rules.ts';
import { EXTRACTIVE_AGENT } from '../../answers/extractive.rules.ts';
import { handoffOf, type TurnOutcome } from '../outcome.rules.ts';
import type { StageResult, TurnInDecision } from './stage.ts';

/**
 * Stores the contact's yes or no to the call waiting for it. It decides nothing by itself: the call is still to be
 * made.
 */
export async function confirmWaitingCall({ context, recognized }: TurnInDecision): Promise<undefined> {
  const { gate, waiting } = recognized;
  if (waiting !== undefined && (gate.kind === 'confirm' || gate.kind === 'reject'))
    await context.effects.decideWaiting(waiting.id, gate.kind);
}

/**
 * Ends the turn with a report of the calls decided by people, if the messages can be about them. A contact calling the
 * issue solved gets it first: a resolution would drop confirmed calls.
 */
export async function reportDecidedCalls({ context, recognized, say, limits }: TurnInDecision): Promise<StageResult> {
  const { gate, isSolved, isYesOrNo } = recognized;
  const isAboutCalls = context.unanswered.length === 0 || isYesOrNo || (isSolved && gate.kind !== 'handoff');
  const decision = isAboutCalls ? await context.effects.reportCalls(say, limits) : undefined;
  return decision && { decision };
}

/** Ends the turn if a gate holds, or the contact calls the issue solved. */
export function applyGates({ recognized, gates, say }: TurnInDecision): StageResult {
  const { gate } = recognized;
  const outcome = outcomeOf(recognized, say);
  if (outcome === undefined) return undefined;
  const topic = 'topic' in gate && { topic: gate.topic };
  return { decision: { outcome, agent: EXTRACTIVE_AGENT, score: null, steps: [gates], ...topic } };
}

const HANDOFF_SENTENCES = {
  unreadable: 'unreadable',
  user_request: 'handing_off',
  prohibited_topic: 'prohibited_topic',
  not_helping: 'handing_off',
  budget: 'budget',
} as const satisfies Record<string, SentenceKey>;

function outcomeOf(
  { gate, isSolved }: TurnInDecision['recognized'],
  say: TurnInDecision['say'],
): TurnOutcome | undefined {
  if (gate.kind === 'handoff') return handoffOf(gate.reason, say(HANDOFF_SENTENCES[gate.reason]));
  if (isSolved) return { kind: 'resolve' };
  return gate.kind === 'skip' ? { kind: 'skip', reason: gate.reason } : undefined;
}
