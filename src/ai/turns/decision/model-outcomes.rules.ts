import type { SentenceKey } from '../../../recognition/sentences.rules.ts';
import { EXTRACTIVE_AGENT } from '../../answers/extractive.rules.ts';
import type { DecisionContext } from '../context.service.ts';
import { type Decision, type HandoffReason, handoffOf } from '../outcome.rules.ts';

const REASON_SENTENCES: Partial<Record<HandoffReason, SentenceKey>> = {
  action_failed: 'action_failed',
  action_outcome_unknown: 'action_unknown',
  identity_required: 'identity_required',
  prohibited_topic: 'prohibited_topic',
};

/** Returns a model's handoff, in our words. */
export const handoffByModel = (
  { reason, topic, model }: { reason: HandoffReason; topic?: string | undefined; model: string },
  say: (key: SentenceKey) => string,
): Pick<Decision, 'outcome' | 'agent' | 'topic'> => ({
  agent: model,
  outcome: handoffOf(reason, say(REASON_SENTENCES[reason] ?? 'handing_off')),
  ...(reason === 'prohibited_topic' && topic !== undefined && { topic }),
});

/** Returns the decision without a model, if none may or can be asked, or undefined if quotes answer. */
export function withoutModel(
  why: 'over_budget' | 'down',
  { on_budget, on_provider_down }: Pick<DecisionContext['settings'], 'on_budget' | 'on_provider_down'>,
  say: (key: SentenceKey) => string,
): Pick<Decision, 'outcome' | 'agent'> | undefined {
  const outcome =
    why === 'over_budget' ? handoffOf('budget', say('budget')) : handoffOf('provider_down', say('handing_off'));
  const follows = why === 'over_budget' ? on_budget : on_provider_down;
  return follows === 'extractive' ? undefined : { agent: EXTRACTIVE_AGENT, outcome };
}
