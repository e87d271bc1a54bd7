import { formatOf } from '../../answers/extractive.rules.ts';
import type { HandoffReason } from '../outcome.rules.ts';
import { answerByModel } from './model-decision.service.ts';
import { handoffByModel, withoutModel } from './model-outcomes.rules.ts';
import type { StageResult, TurnInDecision } from './stage.ts';

/** Lets the org's model answer by the plan. Undefined if no plan asks for an answer, or no part of it can be said. */
export async function answerFromPlan(turn: TurnInDecision): Promise<StageResult> {
  const { deps, ref, context, plan, org, language, limits, say, gates } = turn;
  if (plan === undefined) return undefined;
  const { session, settings } = context;
  const answer = await answerByModel(deps, ref, context, {
    ...plan,
    phrases: Object.fromEntries(settings.canned_answers.map((canned) => [canned.name, canned.text])),
    language,
    fallbackLanguage: org.language,
    format: formatOf(session),
    signal: limits.signal,
  });
  const end = { score: null, steps: [gates] };
  switch (answer.kind) {
    case 'say': {
      const { state, isPartly, text, claims, model } = answer;
      const reason = state === 'answered' && isPartly ? 'partly' : null;
      return { decision: { ...end, agent: model, outcome: { kind: 'say', state, reason, text, claims } } };
    }
    case 'handoff': {
      if (!FIRM_REASONS.has(answer.reason)) return undefined; // the handoff level decides about these
      return { decision: { ...handoffByModel(answer, say), ...end } };
    }
    case 'over_budget':
    case 'down': {
      const decided = withoutModel(answer.kind, settings, say);
      return decided && { decision: { ...decided, ...end } };
    }
    case 'nothing':
      return undefined;
  }
}

/** Reasons that give people the session at any handoff level. */
const FIRM_REASONS: ReadonlySet<HandoffReason> = new Set([
  'user_request',
  'prohibited_topic',
  'identity_required',
  'action_failed',
]);
