import { detectLanguage } from '../../../languages/detection.ts';
import { askModel, parseAnswer, reportOf } from '../../../models/asking.ts';
import { namedTopic } from '../../../recognition/recognition.rules.ts';
import { linkOf, type QuotedSource, type TextFormat } from '../../answers/extractive.rules.ts';
import { MODEL_ANSWER_SCHEMA, ModelAnswer } from '../../answers/model-answer.schema.ts';
import { answerPrompt } from '../../answers/prompts.rules.ts';
import { type CheckedAnswer, checkAnswer } from '../../answers/validation.rules.ts';
import { retrievePassages } from '../../retrieval/service.ts';
import type { DecisionContext } from '../context.service.ts';
import type { OrgRef } from '../contract.ts';
import type { DecisionDeps } from '../deps.ts';
import type { HandoffReason } from '../outcome.rules.ts';
import type { StepReport } from '../steps.service.ts';
import type { AnswerPlan } from './stage.ts';

/** The outcome of a model's answer, after the check of every part. */
export type ModelAnswerOutcome =
  | { kind: 'say'; state: 'answered' | 'asked'; isPartly: boolean; text: string; claims: QuotedSource[]; model: string }
  | { kind: 'handoff'; reason: HandoffReason; topic?: string | undefined; model: string }
  /** No part could be said, or the model had nothing to say. */
  | { kind: 'nothing' }
  | { kind: 'over_budget' }
  | { kind: 'down' };

/** The answer of a step in its stored form. It is checked already, and need not be checked against changed passages. */
interface StoredAnswer extends CheckedAnswer {
  kind: 'answer' | 'ask' | 'handoff' | 'nothing';
  covers: 'fully' | 'partly';
  handoffReason: string | null;
  /** The prohibited topic named by the model. */
  topic?: string | undefined;
  /** Why the answer cannot be said as a whole. */
  complaint: string | null;
  model: string;
}
type StoredResult = (StoredAnswer | { kind: 'over_budget' } | { kind: 'down' }) & { queries: string[] };

export interface AnswerRequest extends AnswerPlan {
  /** The fixed sentences allowed for the model, by name. */
  phrases: Record<string, string>;
  language: string;
  /** The org's language. An answer may always have it. */
  fallbackLanguage: string;
  format: TextFormat;
  signal: AbortSignal;
}

const MAX_ANSWER_TOKENS = 1_500;
const TRIES = 2;
/** Shorter answers have too few letters for a guess worth a second try. */
const MIN_LETTERS = 40;

/**
 * Asks a model for an answer from the org's knowledge, and checks it. An answer with nothing left to say is asked for
 * once more, with the reasons.
 */
export async function answerByModel(
  deps: DecisionDeps,
  ref: OrgRef,
  context: DecisionContext,
  request: AnswerRequest,
): Promise<ModelAnswerOutcome> {
  let complaints: string[] = [];
  for (let tries = 0; tries < TRIES; tries++) {
    const answer: StoredResult = await request.steps.decide('answer', () =>
      askOnce(deps, ref, context, { ...request, complaints, isLast: tries === TRIES - 1 }),
    );
    if (answer.kind === 'over_budget' || answer.kind === 'down') return { kind: answer.kind };
    if (answer.kind === 'handoff')
      return { kind: 'handoff', reason: reasonOf(answer.handoffReason), topic: answer.topic, model: answer.model };
    if (answer.kind === 'nothing') return { kind: 'nothing' };
    if (answer.parts.length > 0 && answer.complaint === null) return outcomeOf(answer, request.format);
    complaints = [
      ...new Set([
        ...(answer.complaint === null ? [] : [answer.complaint]),
        ...answer.dropped.map(({ because }) => EXPLAINED[because]),
      ]),
    ];
  }
  return { kind: 'nothing' };
}

const EXPLAINED: Record<CheckedAnswer['dropped'][number]['because'], string> = {
  no_text: 'a part had no text',
  not_approved: 'only approved sentences may be said',
  no_support: 'a text had no quote and no receipt',
  quote_not_found: 'a quote is not in its passage word for word, or has fewer than four words',
  not_quotable: 'a quote was of an internal passage',
  no_receipt: 'a receipt does not exist',
  deed_without_receipt: 'a text says that something was done, without its receipt',
  foreign_figure: 'a number, amount or date is not in the quotes of its text',
  foreign_link: 'a link does not lead to a quoted passage',
  foreign_address: 'an e-mail address is not in the quotes of its text',
  markup: 'a text had HTML or an image',
  secret: 'a text had a secret value',
  guarded_text: 'a text repeats instructions or internal passages',
};

const REASONS = [
  'user_request',
  'prohibited_topic',
  'missing_knowledge',
  'missing_tool',
  'unclear_instructions',
  'not_helping',
  'action_failed',
  'identity_required',
] as const satisfies HandoffReason[];
const reasonOf = (reason: string | null): HandoffReason => REASONS.find((one) => one === reason) ?? 'missing_knowledge';

async function askOnce(
  deps: DecisionDeps,
  { orgId }: OrgRef,
  { session, settings, messages, unanswered, effects }: DecisionContext,
  request: AnswerRequest & { complaints: string[]; isLast: boolean },
): Promise<{ decision: StoredResult } & StepReport> {
  const startedAt = performance.now();
  const { chain, facts, queries, receipts, phrases, language, complaints, signal } = request;
  const passages = await retrievePassages(deps.db, deps.semantics, orgId, {
    queries,
    channel: session.channel,
    segments: facts.segments,
  });
  const onlyPhrases = settings.mode === 'canned';
  const { instructions, context, prohibitedTopics } = facts;
  const result = await askModel(
    deps,
    orgId,
    chain,
    settings,
    {
      purpose: 'answer',
      ...effects.billing,
      messages: answerPrompt(
        messages.filter(({ seq }) => seq <= (unanswered.at(-1)?.seq ?? seq)),
        {
          language,
          channel: session.channel,
          instructions,
          context,
          prohibitedTopics,
          receipts,
          passages,
          phrases,
          onlyPhrases,
          complaints,
        },
      ),
      schema: MODEL_ANSWER_SCHEMA,
      maxTokens: MAX_ANSWER_TOKENS,
      temperature: 0,
      read: (answer) => ModelAnswer.safeParse(parseAnswer(answer.text)).data,
    },
    signal,
  );
  const latency_ms = Math.round(performance.now() - startedAt);
  const report = { latency_ms, ...reportOf(result) };
  if (result.kind !== 'answered') return { decision: { kind: result.kind, queries }, ...report };
  const { value: answer, model } = result;
  const checked = checkAnswer(answer.parts, {
    language,
    passages,
    receipts,
    customerText: messages
      .filter(({ sender }) => sender === 'contact')
      .map(({ content }) => content ?? '')
      .join('\n'),
    allowedLinks: settings.allowed_links,
    secrets: [...facts.secrets, chain.connection.api_key],
    guarded: [...instructions, ...passages.filter(({ use }) => use === 'internal').map(({ content }) => content)],
    phrases,
    onlyPhrases,
  });
  const decision: StoredResult = {
    ...checked,
    queries,
    kind: answer.kind,
    covers: answer.covers,
    handoffReason: answer.handoff_reason ?? null,
    topic: namedTopic(answer.prohibited_topic, prohibitedTopics),
    complaint: await complaintOf(checked, request),
    model,
  };
  const detail = {
    ...report.detail,
    kind: answer.kind,
    passages: passages.map(({ item_id, chunk, score, title, use }) => ({ item_id, chunk, score, title, use })),
    dropped: checked.dropped.map(({ because }) => because),
  };
  return { decision, ...report, detail };
}

/** Returns why an answer is not in the customer's language. On the last try, the org's own will do. */
async function complaintOf(
  { parts }: CheckedAnswer,
  { language, fallbackLanguage, isLast }: AnswerRequest & { isLast: boolean },
): Promise<string | null> {
  const text = parts.map((part) => part.text).join('\n');
  if ((text.match(/\p{L}/gu)?.length ?? 0) < MIN_LETTERS) return null;
  const detected = await detectLanguage(text);
  if (detected === undefined || detected === language || (isLast && detected === fallbackLanguage)) return null;
  return `the answer must be in the language ${language}`;
}

function outcomeOf(answer: StoredAnswer, format: TextFormat): ModelAnswerOutcome {
  const { parts, model } = answer;
  const quotes = parts.flatMap((part) => part.quotes);
  const claims = quotes.filter(({ passage }) => passage.use === 'public').map(claimOf);
  const pages = new Map(claims.filter(({ url }) => url !== null).map((claim) => [claim.url, claim]));
  const links = [...pages.values()].map((page) =>
    format === 'markdown' ? `- ${linkOf(page, format)}` : linkOf(page, format),
  );
  const text = [...parts.map((part) => part.text), ...(links.length > 0 ? [links.join('\n')] : [])].join('\n\n');
  const state = answer.kind === 'ask' || parts.every((part) => part.isQuestion) ? 'asked' : 'answered';
  return { kind: 'say', state, isPartly: answer.covers === 'partly' || answer.dropped.length > 0, text, claims, model };
}

const claimOf = ({
  passage,
  quote,
  start_offset,
  end_offset,
}: CheckedAnswer['parts'][number]['quotes'][number]): QuotedSource => ({
  item_id: passage.item_id,
  chunk: passage.chunk,
  url: passage.url,
  title: passage.title,
  heading: passage.heading,
  quote,
  start_offset,
  end_offset,
  hash: passage.hash,
});
