import { findModels } from '../../../models/asking.ts';
import { listTools } from '../../calls/service.ts';
import { planTurn } from '../../planning/service.ts';
import type { HandoffReason, TurnOutcome } from '../outcome.rules.ts';
import { handoffByModel, withoutModel } from './model-outcomes.rules.ts';
import { gatherFacts } from './prompt-facts.service.ts';
import type { AnswerPlan, StageResult, TurnInDecision } from './stage.ts';

/**
 * Lets the org's model plan: it may call actions, ask to confirm one, or hand off. Otherwise the plan names the queries
 * of the next stage. Undefined if the org has no model, or quotes answer instead of it.
 */
export async function planAnswer(turn: TurnInDecision): Promise<StageResult> {
  const { deps, ref, context, org, text, say, limits, gates } = turn;
  const { effects, settings } = context;
  const mayAsk = context.isProviderConnected && settings.mode !== 'extractive';
  const chain = mayAsk ? await findModels(deps, ref.orgId, settings.models) : undefined;
  if (chain === undefined) return undefined;
  const facts = await gatherFacts(deps, ref, context, org);
  const steps = await effects.openSteps(limits.steps);
  const planned = await planCalls(turn, { chain, facts, steps });
  const end = { score: null, steps: [gates] };
  switch (planned.kind) {
    case 'search': {
      const { queries, receipts } = planned;
      return { plan: { chain, facts, steps, queries: queries.length > 0 ? queries : [text], receipts } };
    }
    case 'confirm': {
      if (await effects.isWaiting(planned.callId))
        return { decision: { ...end, agent: planned.model, outcome: QUESTION, asks: planned.callId } };
      const report = await effects.reportCalls(say, limits);
      return report && { decision: { ...report, ...end } };
    }
    case 'in_progress':
      return { decision: { ...end, agent: planned.model, outcome: progressOf(say('action_in_progress')) } };
    case 'handoff': {
      const reason = PLAN_REASONS.find((one) => one === planned.reason) ?? 'missing_knowledge';
      return { decision: { ...handoffByModel({ ...planned, reason }, say), ...end } };
    }
    case 'over_budget':
    case 'down': {
      const decided = withoutModel(planned.kind, settings, say);
      return decided && { decision: { ...decided, ...end } };
    }
  }
}

/** The text is worded when it is stored: with the question of the call. */
const QUESTION: TurnOutcome = { kind: 'say', state: 'asked', reason: null, text: '', claims: [] };

/** The run of a workflow continues. Its end wakes another turn. */
const progressOf = (text: string): TurnOutcome => ({
  kind: 'say',
  state: 'answered',
  reason: 'in_progress',
  text,
  claims: [],
});

const PLAN_REASONS = [
  'user_request',
  'prohibited_topic',
  'missing_tool',
  'unclear_instructions',
  'identity_required',
  'action_failed',
  'action_outcome_unknown',
] as const satisfies HandoffReason[];

/** Plans with the actions of the channel, if the agent may act. Without any, the contact's words are searched. */
async function planCalls(
  { deps, ref: { orgId }, context, text, language, limits }: TurnInDecision,
  { chain, facts, steps }: Pick<AnswerPlan, 'chain' | 'facts' | 'steps'>,
) {
  const { session, settings, mayAct, messages, unanswered, effects } = context;
  const callsActions = mayAct && settings.max_calls > 0;
  const actions = callsActions ? await listTools(deps.db, orgId, { channel: session.channel, text }) : [];
  if (actions.length === 0) return { kind: 'search' as const, queries: [text], receipts: [] };
  const lastSeq = unanswered.at(-1)?.seq ?? Infinity;
  return planTurn(deps, orgId, {
    chain,
    terms: settings,
    session,
    billing: effects.billing,
    ledger: effects.ledger,
    actions,
    conversation: messages.filter(({ seq }) => seq <= lastSeq),
    language,
    instructions: facts.instructions,
    context: facts.context,
    prohibitedTopics: facts.prohibitedTopics,
    secrets: facts.secrets,
    hasUntrusted: await effects.hasQuotedUntrusted(),
    signal: limits.signal,
    decide: steps.decide,
  });
}
