import type { ConversationMessage } from '../../../conversations/ai/service.ts';
import { readProfile } from '../../../orgs/service.ts';
import { decideGate, type GateFacts } from '../../../recognition/gates.rules.ts';
import { isSameQuestion, readDecision, resolvesIssue } from '../../../recognition/recognition.rules.ts';
import {
  LANGUAGES_WITH_PHRASES,
  languageWithPhrases,
  type SentenceKey,
  sentenceOf,
} from '../../../recognition/sentences.rules.ts';
import type { DecisionContext } from '../context.service.ts';
import type { DecisionInput, Recognition, TurnInDecision } from './stage.ts';

/** Returns a turn with the recognition of its messages. */
export async function recognizeMessages(input: DecisionInput): Promise<TurnInDecision> {
  const { deps, ref, context } = input;
  const { session, settings, unanswered } = context;
  const org = await readProfile(deps.db, ref.orgId);
  const fallback = org.language;
  const { prohibited_topics, prohibited_topic_message } = org.settings;
  const say = (key: SentenceKey) =>
    (key === 'prohibited_topic' ? prohibited_topic_message : null) ??
    sentenceOf(key, session.language, { fallback, overrides: settings.phrases });

  const startedAt = performance.now();
  const recognized = await recognize(context, {
    language: languageWithPhrases(session.language, fallback),
    otherLanguages: session.language === null ? LANGUAGES_WITH_PHRASES : [fallback],
    prohibitedTopics: prohibited_topics ?? [],
  });
  const detail = { ...recognized.gate, isSolved: recognized.isSolved };
  const latency_ms = Math.round(performance.now() - startedAt);
  return {
    ...input,
    org,
    say,
    text: textOf(unanswered),
    language: session.language ?? fallback,
    recognized,
    gates: { step: 1, purpose: 'gates', latency_ms, detail },
  };
}

type OrgFacts = Pick<GateFacts, 'language' | 'otherLanguages' | 'prohibitedTopics'>;

async function recognize(context: DecisionContext, facts: OrgFacts): Promise<Recognition> {
  const { unanswered, effects } = context;
  const text = textOf(unanswered);
  const isSolved = hasAnswer(context) && !areAutomated(unanswered) && resolvesIssue(text, facts.language);
  const isYesOrNo = readDecision(text, facts.language) !== undefined;
  const waiting = isYesOrNo ? await effects.findWaiting() : undefined;
  const gate = decideGate(gateFactsOf(context, { ...facts, waitingConfirmation: waiting !== undefined }));
  return { gate, isSolved, isYesOrNo, waiting };
}

/** Returns the facts for the gates. An org at handoff level 0 has no loops ending in a handoff. */
function gateFactsOf(context: DecisionContext, facts: OrgFacts & Pick<GateFacts, 'waitingConfirmation'>): GateFacts {
  const { session, settings, messages, unanswered, refusal, fruitless } = context;
  const first = unanswered[0]?.seq ?? 0;
  const text = textOf(unanswered);
  const repeats = messages.some(
    ({ sender, seq, content }) => sender === 'contact' && seq < first && isSameQuestion(content ?? '', text),
  );
  const handsOff = settings.handoff_level > 0;
  return {
    ...facts,
    aiState: session.assist_mode ? 'on' : session.ai_state,
    isBlocked: refusal === 'blocked',
    isClosed: session.status !== 'open',
    peopleHaveIt: refusal === 'people_have_it',
    isAutoSubmitted: areAutomated(unanswered),
    text,
    hasOnlyAttachments:
      text.trim() === '' && unanswered.some(({ attachments, is_unreadable }) => attachments > 0 || is_unreadable),
    isBudgetLeft: true, // quotes cost nothing
    repeatsQuestion: handsOff && hasAnswer(context) && repeats,
    turnsWithoutProgress: handsOff ? fruitless : 0,
    maxTurnsWithoutProgress: settings.max_turns_without_progress,
  };
}

/** Returns the written text. Mere names of attachments are left out. */
const textOf = (messages: ConversationMessage[]): string =>
  messages.map(({ content, is_unreadable }) => (is_unreadable ? '' : (content ?? ''))).join('\n');

/** Returns whether there are messages, and a program must not answer any of them. */
const areAutomated = (messages: ConversationMessage[]): boolean =>
  messages.length > 0 && messages.every(({ is_automated }) => is_automated);

const hasAnswer = ({ messages }: DecisionContext): boolean => messages.some(({ sender }) => sender === 'ai');
