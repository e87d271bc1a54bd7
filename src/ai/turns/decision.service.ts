import type { SessionChannel } from '../../http/schemas.ts';
import { getOrgLanguage, readSettings } from '../../orgs/service.ts';
import {
  EXTRACTIVE_AGENT,
  type ExtractiveAnswer,
  renderSources,
  type TextFormat,
} from '../answers/extractive.rules.ts';
import { answerByQuotes } from '../answers/extractive.service.ts';
import { getThreshold } from '../calibration/service.ts';
import { gateOf } from '../gates/gates.rules.ts';
import { type Sentences, sentencesIn } from '../gates/sentences.rules.ts';
import type { TurnRef } from './contract.ts';
import type { TurnDeps } from './deps.ts';
import { type Decision, type TurnOutcome, withoutAnswer } from './outcome.rules.ts';
import { countFruitlessTurns } from './queries.ts';
import type { TurnContext } from './review.service.ts';

/** Channels whose clients show Markdown. The others get plain text. */
const MARKDOWN_CHANNELS: readonly SessionChannel[] = ['web', 'api', 'slack'];

/**
 * Decides how a turn ends: the gates first, then an answer by quotes, or else what the org's handoff level says. Changes
 * nothing.
 */
export async function decideTurn(
  { db, semantics }: TurnDeps,
  { orgId }: TurnRef,
  { session, settings, messages, unanswered }: TurnContext,
): Promise<Decision> {
  const sentences = sentencesIn([session.language, await getOrgLanguage(db, orgId)], settings.phrases);
  const { prohibited_topics } = await readSettings(db, orgId);
  const begun = performance.now();
  const { result, topic } = gateOf({
    texts: unanswered.map(({ content }) => content ?? ''),
    earlierTexts: messages
      .filter(({ sender, seq }) => sender === 'contact' && seq < (unanswered[0]?.seq ?? 0))
      .map(({ content }) => content ?? ''),
    hasAttachments: unanswered.some(({ attachments }) => attachments > 0),
    isAnsweredByAi: messages.some(({ sender }) => sender === 'ai'),
    language: session.language,
    prohibitedTopics: prohibited_topics ?? [],
  });
  const gates = { step: 1, purpose: 'gates' as const, latency_ms: msSince(begun), detail: { result } };
  const gated = gatedOutcome(result, sentences, settings.handoff_level);
  if (gated !== undefined)
    return {
      outcome: gated,
      agent: EXTRACTIVE_AGENT,
      score: null,
      steps: [gates],
      ...(topic === undefined ? {} : { topic }),
    };

  const searched = performance.now();
  const question = unanswered.map(({ content }) => content ?? '').join('\n');
  const threshold = await getThreshold(db, orgId);
  const answer = await answerByQuotes(db, semantics, orgId, { question, channel: session.channel, threshold });
  const { kind, score, passages } = answer;
  const search = {
    step: 2,
    purpose: 'search' as const,
    latency_ms: msSince(searched),
    detail: { result: kind, score, threshold, passages },
  };
  const fruitless = await countFruitlessTurns(db, orgId, session.id, session.ai_context_seq);
  const format: TextFormat = MARKDOWN_CHANNELS.includes(session.channel) ? 'markdown' : 'plain';
  const outcome = outcomeOf(answer, {
    sentences,
    format,
    level: settings.handoff_level,
    fruitless,
    maxFruitless: settings.max_turns_without_progress,
  });
  return { outcome, agent: EXTRACTIVE_AGENT, score, steps: [gates, search] };
}

const msSince = (begun: number): number => Math.round(performance.now() - begun);

/** Returns the outcome of a gate, or undefined if an answer is to be looked for. */
function gatedOutcome(
  result: ReturnType<typeof gateOf>['result'],
  sentences: Sentences,
  level: number,
): TurnOutcome | undefined {
  const handOff = (
    reason: 'unreadable' | 'user_request' | 'prohibited_topic' | 'not_helping',
    text: string,
  ): TurnOutcome => ({
    kind: 'handoff',
    reason,
    text,
    claims: [],
  });
  switch (result) {
    case 'go_on':
      return undefined;
    case 'acknowledgement':
      return { kind: 'skip', reason: 'acknowledgement' };
    case 'solved':
      return { kind: 'resolve' };
    case 'unreadable':
      return handOff('unreadable', sentences.unreadable);
    case 'user_request':
      return handOff('user_request', sentences.handing_off);
    case 'prohibited_topic':
      return handOff('prohibited_topic', sentences.prohibited_topic);
    case 'same_question':
      return level === 0 ? undefined : handOff('not_helping', sentences.handing_off);
  }
}

interface AnswerTerms {
  sentences: Sentences;
  format: TextFormat;
  level: 0 | 1 | 2 | 3;
  fruitless: number;
  maxFruitless: number;
}

function outcomeOf(answer: ExtractiveAnswer, terms: AnswerTerms): TurnOutcome {
  const { sentences, format, ...rest } = terms;
  const { kind, sources } = answer;
  if (kind === 'answered')
    return {
      kind: 'say',
      state: 'answered',
      reason: null,
      text: renderSources(sentences.found, sources, format),
      claims: sources,
    };
  const { says, handsOff } = withoutAnswer({ ...rest, hasPages: kind === 'may_help' });
  const pages = renderSources(sentences.may_help, sources, format);
  if (handsOff) {
    const text = says === 'point' ? `${pages}\n\n${sentences.handing_off}` : sentences.handing_off;
    const reason = terms.fruitless > 0 ? 'not_helping' : 'missing_knowledge';
    return { kind: 'handoff', reason, text, claims: says === 'point' ? sources : [] };
  }
  if (says === 'point') return { kind: 'say', state: 'answered', reason: 'may_help', text: pages, claims: sources };
  const text = says === 'ask' ? `${sentences.not_found} ${sentences.ask_details}` : sentences.not_found;
  return { kind: 'say', state: 'asked', reason: 'missing_knowledge', text, claims: [] };
}
