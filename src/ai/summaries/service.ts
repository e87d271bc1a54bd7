import { lockSession } from '../../conversations/sessions/service.ts';
import {
  findSummaryBasis,
  haveTexts,
  type ModelSummary,
  type SummaryBasis,
  storeModelSummary,
} from '../../conversations/summary/model-summary.service.ts';
import { inTransaction } from '../../db/transaction.ts';
import {
  askModel,
  findModels,
  type ModelChain,
  type ModelDeps,
  type ModelResult,
  parseAnswer,
} from '../../models/asking.ts';
import type { AiSettings } from '../settings/schema.ts';
import { getPublishedAiSettings } from '../settings/service.ts';
import type { SummaryRef, SummaryResult } from './contract.ts';
import { findAsked, upsertAsked } from './queries.ts';
import { summaryPrompt, supportedSummary } from './rules.ts';
import { MODEL_DIGEST_SCHEMA, ModelDigest } from './schema.ts';

const MAX_TOKENS = 700;
/**
 * People wait for a handed-off session. After this time, the summary from the conversation's own sentences is good
 * enough.
 */
const PATIENCE_MS = 30_000;

/**
 * Asks the org's model for the summary and the sentiment of a handoff or a resolution, once. Sentences without support
 * in the conversation are left out. The summary from the conversation's own sentences stays if no model answers, none
 * of its sentences is supported, or a text was redacted meanwhile.
 */
export async function summarizeSession(deps: ModelDeps, ref: SummaryRef, signal: AbortSignal): Promise<SummaryResult> {
  const { db } = deps;
  const { orgId, sessionId, occasion } = ref;
  const settings = await getPublishedAiSettings(db, orgId);
  const chain = settings.mode === 'extractive' ? undefined : await findModels(deps, orgId, settings.models);
  if (chain === undefined) return 'not_due';
  const basis = await findSummaryBasis(db, orgId, sessionId, occasion);
  if (basis === undefined || basis.messages.length === 0) return 'not_due';
  if ((await findAsked(db, ref))?.at.getTime() === basis.at.getTime()) return 'not_due';
  const result = await ask(deps, ref, { chain, settings, basis, signal });
  if (result.kind !== 'answered') {
    await inTransaction(db, (trx) => upsertAsked(trx, ref, basis.at));
    return result.kind;
  }
  const { value, model } = result;
  const summary = supportedSummary(value.sentences, basis.messages, basis.language);
  return store(deps, ref, basis, { summary, sentiment: value.sentiment ?? null, model });
}

function ask(
  deps: ModelDeps,
  { orgId, sessionId }: SummaryRef,
  {
    chain,
    settings,
    basis,
    signal,
  }: { chain: ModelChain; settings: AiSettings; basis: SummaryBasis; signal: AbortSignal },
): Promise<ModelResult<ModelDigest>> {
  const question = {
    sessionId,
    turnId: null,
    purpose: 'summary',
    messages: summaryPrompt(basis.messages),
    schema: MODEL_DIGEST_SCHEMA,
    maxTokens: MAX_TOKENS,
    temperature: 0,
    read: ({ text }: { text: string }) => ModelDigest.safeParse(parseAnswer(text)).data,
  };
  return askModel({ ...deps, patienceMs: PATIENCE_MS }, orgId, chain, settings, question, signal);
}

/** Stores a model's summary, unless the session was reopened, handed off again or redacted since the request. */
function store(
  { db }: ModelDeps,
  ref: SummaryRef,
  { at, messages }: SummaryBasis,
  said: ModelSummary,
): Promise<SummaryResult> {
  const { orgId, sessionId, occasion } = ref;
  return inTransaction(db, async (trx) => {
    const session = await lockSession(trx, orgId, sessionId);
    const current = await findSummaryBasis(trx, orgId, sessionId, occasion);
    if (current?.at.getTime() !== at.getTime()) return 'not_due';
    await upsertAsked(trx, ref, at);
    if (!(await haveTexts(trx, orgId, messages))) return 'not_due';
    await storeModelSummary(trx, orgId, session, occasion, said);
    if (said.summary !== null) return 'by_model';
    return said.sentiment === null ? 'nothing_usable' : 'sentiment_only';
  });
}
