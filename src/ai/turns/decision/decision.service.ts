import type { ConversationMessage } from '../../../conversations/messages/ai-messages.service.ts';
import { WORDS_ONLY } from '../../../knowledge/search/passage-search.service.ts';
import { findModels, type ModelChain } from '../../../models/asking.ts';
import { type OrgProfile, readProfile } from '../../../orgs/service.ts';
import { decideGate, type GateDecision, type GateFacts } from '../../../recognition/gates.rules.ts';
import { isSameQuestion, readDecision, resolvesIssue } from '../../../recognition/recognition.rules.ts';
import {
  LANGUAGES_WITH_PHRASES,
  languageWithPhrases,
  type SentenceKey,
  sentenceOf,
} from '../../../recognition/sentences.rules.ts';
import {
  EXTRACTIVE_AGENT,
  type ExtractiveAnswer,
  formatOf,
  renderSources,
  type TextFormat,
} from '../../answers/extractive.rules.ts';
import { answerByQuotes } from '../../answers/extractive.service.ts';
import { getThresholds } from '../../calibration/service.ts';
import { listTools } from '../../calls/service.ts';
import { planTurn } from '../../planning/service.ts';
import type { DecisionContext } from '../context.service.ts';
import type { OrgRef } from '../contract.ts';
import type { DecisionDeps } from '../deps.ts';
import type { TurnSteps } from '../steps.service.ts';
import { answerByModel } from './model-decision.service.ts';
import { type Decision, type HandoffReason, type TurnOutcome, withoutAnswer } from './outcome.rules.ts';
import { gatherFacts, type KnownFacts, listKnowledgeSegments } from './prompt-facts.service.ts';

/** How many steps with third parties a call of `decideTurn` may take. */
export interface DecisionLimits {
  steps: number;
  /** Whether confirmed calls may be made, beside these steps. */
  callsOut: boolean;
  signal: AbortSignal;
}

/**
 * Decides how a turn ends: what became of calls that people have decided about, then the gates, then an answer of the
 * org's model, checked, or else one by quotes, or what the org's handoff level says. Changes nothing but by the effects
 * of the context, so that a preview is decided by the same code. Throws StepNeeded for a step beyond the limit.
 */
export async function decideTurn(
  deps: DecisionDeps,
  ref: OrgRef,
  context: DecisionContext,
  limits: DecisionLimits,
): Promise<Decision> {
  const { db } = deps;
  const { orgId } = ref;
  const { session, settings, unanswered, effects } = context;
  const org = await readProfile(db, orgId);
  const fallback = org.language;
  const { prohibited_topics, prohibited_topic_message } = org.settings;
  const say = (key: SentenceKey) =>
    (key === 'prohibited_topic' ? prohibited_topic_message : null) ??
    sentenceOf(key, session.language, { fallback, overrides: settings.phrases });

  const begun = performance.now();
  const language = languageWithPhrases(session.language, fallback);
  const text = textOf(unanswered);
  const isSolved = hasAnswer(context) && !areAutomated(unanswered) && resolvesIssue(text, language);
  const yesOrNo = readDecision(text, language);
  const waiting = yesOrNo === undefined ? undefined : await effects.findWaiting();
  const otherLanguages = session.language === null ? LANGUAGES_WITH_PHRASES : [fallback];
  const facts = {
    language,
    otherLanguages,
    prohibitedTopics: prohibited_topics ?? [],
    waits: waiting !== undefined,
  };
  const decided = decideGate(gateFactsOf(context, facts));
  if (waiting !== undefined && (decided.kind === 'confirm' || decided.kind === 'reject'))
    await effects.decideWaiting(waiting.id, decided.kind);
  const resolves = isSolved && decided.kind !== 'handoff'; // a resolution would drop calls that were confirmed
  const isAboutCalls = unanswered.length === 0 || yesOrNo !== undefined || resolves;
  const report = isAboutCalls ? await effects.reportCalls(say, limits) : undefined;
  if (report !== undefined) return report;
  const gates = { step: 1, purpose: 'gates' as const, latency_ms: msSince(begun), detail: { ...decided, isSolved } };
  const gated = gatedOutcome(decided, isSolved, say);
  if (gated !== undefined)
    return {
      outcome: gated,
      agent: EXTRACTIVE_AGENT,
      score: null,
      steps: [gates],
      ...('topic' in decided && { topic: decided.topic }),
    };

  const terms = { say, org, text, language: session.language ?? fallback };
  const byModel = await decideByModel(deps, ref, context, { ...terms, limits });
  if (byModel !== undefined) return { ...byModel, score: null, steps: [gates] };
  return decideByQuotes(deps, ref, context, { ...terms, gates });
}

interface DecisionTerms {
  say: (key: SentenceKey) => string;
  org: OrgProfile;
  /** What the contact has written. */
  text: string;
  language: string;
}

/** Returns what the org's model decides, or undefined if quotes alone have to do. */
async function decideByModel(
  deps: DecisionDeps,
  ref: OrgRef,
  context: DecisionContext,
  { say, org, text, language, limits }: DecisionTerms & { limits: DecisionLimits },
): Promise<Pick<Decision, 'outcome' | 'agent' | 'asks' | 'topic' | 'reportedCalls'> | undefined> {
  const { session, settings, effects, isProviderConnected } = context;
  const mayAsk = isProviderConnected && settings.mode !== 'extractive';
  const chain = mayAsk ? await findModels(deps, ref.orgId, settings.models) : undefined;
  if (chain === undefined) return undefined;
  const facts = await gatherFacts(deps, ref, context, org);
  const steps = await effects.openSteps(limits.steps);
  const planned = await plan(deps, ref, context, { chain, facts, steps, text, language, limits });
  if (planned.kind === 'confirm')
    return (await effects.isWaiting(planned.callId))
      ? { agent: planned.model, outcome: ASKING, asks: planned.callId }
      : effects.reportCalls(say, limits);
  if (planned.kind === 'in_progress') return { agent: planned.model, outcome: underWay(say('action_in_progress')) };
  if (planned.kind === 'handoff') return byHandoff(planned, say);
  if (planned.kind !== 'search') return withoutModel(planned.kind, settings, say);
  const answer = await answerByModel(deps, ref, context, {
    chain,
    facts,
    steps,
    queries: planned.queries.length > 0 ? planned.queries : [text],
    receipts: planned.receipts,
    phrases: Object.fromEntries(settings.canned_answers.map((canned) => [canned.name, canned.text])),
    language,
    fallbackLanguage: org.language,
    format: formatOf(session),
    signal: limits.signal,
  });
  switch (answer.kind) {
    case 'say': {
      const { state, isPartly, claims, model } = answer;
      const reason = state === 'answered' && isPartly ? 'partly' : null;
      return { agent: model, outcome: { kind: 'say', state, reason, text: answer.text, claims } };
    }
    case 'handoff':
      if (!FIRM_REASONS.has(answer.reason)) return undefined; // the handoff level decides about these
      return byHandoff(answer, say);
    case 'over_budget':
    case 'down':
      return withoutModel(answer.kind, settings, say);
    case 'nothing':
      return undefined;
  }
}

/** The text is worded when it is stored: with the question of the call. */
const ASKING: TurnOutcome = { kind: 'say', state: 'asked', reason: null, text: '', claims: [] };

/** The run of a workflow goes on. Its end wakes another turn. */
const underWay = (text: string): TurnOutcome => ({
  kind: 'say',
  state: 'answered',
  reason: 'in_progress',
  text,
  claims: [],
});

const REASON_SENTENCES: Partial<Record<HandoffReason, SentenceKey>> = {
  action_failed: 'action_failed',
  action_outcome_unknown: 'action_unknown',
  identity_required: 'identity_required',
  prohibited_topic: 'prohibited_topic',
};

/** Returns the handoff that a model wants, in our words. */
const byHandoff = (
  { reason, topic, model }: { reason: HandoffReason; topic?: string | undefined; model: string },
  say: (key: SentenceKey) => string,
): Pick<Decision, 'outcome' | 'agent' | 'topic'> => ({
  agent: model,
  outcome: handingOff(reason, say(REASON_SENTENCES[reason] ?? 'handing_off')),
  ...(reason === 'prohibited_topic' && topic !== undefined && { topic }),
});

/** Returns what follows where no model may or can be asked, or undefined if quotes answer. */
function withoutModel(
  why: 'over_budget' | 'down',
  { on_budget, on_provider_down }: DecisionContext['settings'],
  say: (key: SentenceKey) => string,
): Pick<Decision, 'outcome' | 'agent'> | undefined {
  const outcome =
    why === 'over_budget' ? handingOff('budget', say('budget')) : handingOff('provider_down', say('handing_off'));
  const follows = why === 'over_budget' ? on_budget : on_provider_down;
  return follows === 'extractive' ? undefined : { agent: EXTRACTIVE_AGENT, outcome };
}

const PLAN_REASONS = new Set<string>([
  'user_request',
  'prohibited_topic',
  'missing_tool',
  'unclear_instructions',
  'identity_required',
  'action_failed',
  'action_outcome_unknown',
]);

/** Plans with the actions of the channel, where the agent may act. Without any, the contact's words are searched. */
async function plan(
  deps: DecisionDeps,
  { orgId }: OrgRef,
  { session, settings, mayAct, messages, unanswered, effects }: DecisionContext,
  {
    chain,
    facts,
    steps,
    text,
    language,
    limits,
  }: { chain: ModelChain; facts: KnownFacts; steps: TurnSteps; text: string; language: string; limits: DecisionLimits },
) {
  const callsActions = mayAct && settings.max_calls > 0;
  const actions = callsActions ? await listTools(deps.db, orgId, { channel: session.channel, text }) : [];
  if (actions.length === 0) return { kind: 'search' as const, queries: [text], receipts: [] };
  const lastSeq = unanswered.at(-1)?.seq ?? Infinity;
  const planned = await planTurn(deps, orgId, {
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
    take: steps.take,
  });
  if (planned.kind !== 'handoff') return planned;
  const reason = PLAN_REASONS.has(planned.reason) ? (planned.reason as HandoffReason) : 'missing_knowledge';
  return { ...planned, reason };
}

/** Reasons for which people get the session at any handoff level. */
const FIRM_REASONS: ReadonlySet<HandoffReason> = new Set([
  'user_request',
  'prohibited_topic',
  'identity_required',
  'action_failed',
]);

const handingOff = (reason: HandoffReason, text: string): TurnOutcome => ({
  kind: 'handoff',
  reason,
  text,
  claims: [],
});

async function decideByQuotes(
  { db, semantics }: DecisionDeps,
  { orgId }: OrgRef,
  { session, settings, fruitless, isProviderConnected }: DecisionContext,
  { say, text, gates }: DecisionTerms & { gates: Decision['steps'][number] },
): Promise<Decision> {
  const searched = performance.now();
  const thresholds = await getThresholds(db, orgId);
  const segments = await listKnowledgeSegments(db, orgId, session.contact_id);
  const answer = await answerByQuotes(db, isProviderConnected ? semantics : WORDS_ONLY, orgId, {
    question: text,
    channel: session.channel,
    segments,
    thresholds,
  });
  const { kind, score, threshold, passages } = answer;
  const detail = { result: kind, score, threshold, passages };
  const decision = { queries: [text] };
  const search = { step: 2, purpose: 'search' as const, latency_ms: msSince(searched), detail, decision };
  const outcome = outcomeOf(answer, {
    say,
    format: formatOf(session),
    level: settings.handoff_level,
    fruitless,
    maxFruitless: settings.max_turns_without_progress,
  });
  return { outcome, agent: EXTRACTIVE_AGENT, score, steps: [gates, search] };
}

const msSince = (begun: number): number => Math.round(performance.now() - begun);

/** Returns what was written. What only names what was sent is left out. */
const textOf = (messages: ConversationMessage[]): string =>
  messages.map(({ content, is_unreadable }) => (is_unreadable ? '' : (content ?? ''))).join('\n');

/** Returns whether there are messages, and a program must not answer any of them. */
const areAutomated = (messages: ConversationMessage[]): boolean =>
  messages.length > 0 && messages.every(({ is_automated }) => is_automated);

const hasAnswer = ({ messages }: DecisionContext): boolean => messages.some(({ sender }) => sender === 'ai');

/** Returns what the gates look at. An org that never hands off by itself has no loops that end in a handoff. */
function gateFactsOf(
  context: DecisionContext,
  { waits, ...known }: Pick<GateFacts, 'language' | 'otherLanguages' | 'prohibitedTopics'> & { waits: boolean },
): GateFacts {
  const { session, settings, messages, unanswered, refusal, fruitless } = context;
  const first = unanswered[0]?.seq ?? 0;
  const text = textOf(unanswered);
  const repeats = messages.some(
    ({ sender, seq, content }) => sender === 'contact' && seq < first && isSameQuestion(content ?? '', text),
  );
  const handsOff = settings.handoff_level > 0;
  return {
    aiState: session.assist_mode ? 'on' : session.ai_state,
    isBlocked: refusal === 'blocked',
    isClosed: session.status !== 'open',
    peopleHaveIt: refusal === 'people_have_it',
    isAutoSubmitted: areAutomated(unanswered),
    text,
    hasOnlyAttachments:
      text.trim() === '' && unanswered.some(({ attachments, is_unreadable }) => attachments > 0 || is_unreadable),
    ...known,
    isBudgetLeft: true, // quotes cost nothing
    repeatsQuestion: handsOff && hasAnswer(context) && repeats,
    turnsWithoutProgress: handsOff ? fruitless : 0,
    maxTurnsWithoutProgress: settings.max_turns_without_progress,
    waitingConfirmation: waits,
  };
}

const HANDOFF_SENTENCES = {
  unreadable: 'unreadable',
  user_request: 'handing_off',
  prohibited_topic: 'prohibited_topic',
  not_helping: 'handing_off',
  budget: 'budget',
} as const satisfies Record<string, SentenceKey>;

/** Returns the outcome of the gates, or undefined if an answer is to be looked for. */
function gatedOutcome(
  decided: GateDecision,
  isSolved: boolean,
  say: (key: SentenceKey) => string,
): TurnOutcome | undefined {
  if (decided.kind === 'handoff')
    return { kind: 'handoff', reason: decided.reason, text: say(HANDOFF_SENTENCES[decided.reason]), claims: [] };
  if (isSolved) return { kind: 'resolve' };
  return decided.kind === 'skip' ? { kind: 'skip', reason: decided.reason } : undefined;
}

interface AnswerTerms {
  say: (key: SentenceKey) => string;
  format: TextFormat;
  level: 0 | 1 | 2 | 3;
  fruitless: number;
  maxFruitless: number;
}

function outcomeOf(answer: ExtractiveAnswer, terms: AnswerTerms): TurnOutcome {
  const { say, format, ...rest } = terms;
  const { kind, sources } = answer;
  if (kind === 'answered')
    return {
      kind: 'say',
      state: 'answered',
      reason: null,
      text: renderSources(say('found'), sources, format),
      claims: sources,
    };
  const { says, handsOff } = withoutAnswer({ ...rest, hasPages: kind === 'may_help' });
  const pages = renderSources(say('may_help'), sources, format);
  if (handsOff) {
    const text = says === 'point' ? `${pages}\n\n${say('handing_off')}` : say('handing_off');
    const reason = terms.fruitless > 0 ? 'not_helping' : 'missing_knowledge';
    return { kind: 'handoff', reason, text, claims: says === 'point' ? sources : [] };
  }
  if (says === 'point') return { kind: 'say', state: 'answered', reason: 'may_help', text: pages, claims: sources };
  const text = says === 'ask' ? `${say('not_found')} ${say('ask_details')}` : say('not_found');
  return { kind: 'say', state: 'asked', reason: 'missing_knowledge', text, claims: [] };
}
