import { WORDS_ONLY } from '../../../knowledge/search/passage-search.service.ts';
import { EXTRACTIVE_AGENT, type ExtractiveAnswer, formatOf, renderSources } from '../../answers/extractive.rules.ts';
import { answerByQuotes } from '../../answers/extractive.service.ts';
import { findSettledThresholds, waitForThresholds } from '../../calibration/service.ts';
import { handoffOf, type TurnOutcome, withoutAnswer } from '../outcome.rules.ts';
import { StepNeeded } from '../steps.service.ts';
import { listKnowledgeSegments } from './prompt-facts.service.ts';
import type { StageResult, TurnInDecision } from './stage.ts';

/** Ends the turn with quotes of the org's pages. Without an answer among them, the org's handoff level decides. */
export async function quotePages(turn: TurnInDecision): Promise<Exclude<StageResult, undefined>> {
  const { deps, ref, context, text, gates, limits } = turn;
  const { db, semantics } = deps;
  const { session, isProviderConnected } = context;
  const searched = performance.now();
  const thresholds = limits.callsOut
    ? await waitForThresholds(db, ref.orgId, limits.signal)
    : await findSettledThresholds(db, ref.orgId);
  if (thresholds === undefined) throw new StepNeeded({ step: 2, purpose: 'search' });
  const segments = await listKnowledgeSegments(db, ref.orgId, session.contact_id);
  const canCompare = isProviderConnected || !(await semantics.asksProvider(db, ref.orgId));
  const answer = await answerByQuotes(db, canCompare ? semantics : WORDS_ONLY, ref.orgId, {
    question: text,
    language: session.language,
    channel: session.channel,
    segments,
    thresholds,
  });
  const { kind, score, threshold, passages } = answer;
  const latency_ms = Math.round(performance.now() - searched);
  const detail = { result: kind, score, threshold, passages };
  const search = { step: 2, purpose: 'search' as const, latency_ms, detail, decision: { queries: [text] } };
  const outcome = outcomeOf(answer, turn);
  return { decision: { outcome, agent: EXTRACTIVE_AGENT, score, steps: [gates, search] } };
}

function outcomeOf({ kind, sources }: ExtractiveAnswer, { context, say }: TurnInDecision): TurnOutcome {
  const { session, settings, fruitless } = context;
  const format = formatOf(session);
  if (kind === 'answered') {
    const text = renderSources(say('found'), sources, format);
    return { kind: 'say', state: 'answered', reason: null, text, claims: sources };
  }
  const { says, handsOff } = withoutAnswer({
    level: settings.handoff_level,
    fruitless,
    maxFruitless: settings.max_turns_without_progress,
    hasPages: kind === 'may_help',
  });
  const pages = renderSources(say('may_help'), sources, format);
  if (handsOff) {
    const text = says === 'point' ? `${pages}\n\n${say('handing_off')}` : say('handing_off');
    const reason = fruitless > 0 ? 'not_helping' : 'missing_knowledge';
    return handoffOf(reason, text, says === 'point' ? sources : []);
  }
  if (says === 'point') return { kind: 'say', state: 'answered', reason: 'may_help', text: pages, claims: sources };
  const text = says === 'ask' ? `${say('not_found')} ${say('ask_details')}` : say('not_found');
  return { kind: 'say', state: 'asked', reason: 'missing_knowledge', text, claims: [] };
}
