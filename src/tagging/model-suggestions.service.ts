import { isModelInUse } from '../ai/settings/model-availability.service.ts';
import { getPublishedAiSettings } from '../ai/settings/service.ts';
import { getContactTexts, getTagHistory } from '../conversations/sessions/tagging.service.ts';
import type { Db, Trx } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { isAutoTaggingOn, listTagsWithKeys } from '../desk/tags/service.ts';
import { askModel, findModels, type ModelDeps, parseAnswer } from '../models/asking.ts';
import { enqueue, signalWithStart } from '../outbox/outbox.ts';
import { WAKE } from '../temporal/contract.ts';
import { SUGGEST_TAGS, type SuggestionInput } from './contract.ts';
import { type OfferedTag, offeredKeys, suggestionPrompt } from './model-suggestions.rules.ts';
import { GIVEN_TAGS_SCHEMA, GivenTags } from './model-suggestions.schema.ts';
import { findTagReport, replaceModelSuggestions } from './queries.ts';

/** A model is told this many tags, by name. */
const MAX_TAGS = 200;
const MAX_TOKENS = 200;

/** Asks for suggestions of the org's model where sessions are resolved or handed off, if there are tags to suggest. */
export async function requestModelSuggestions(
  trx: Trx,
  orgId: string,
  events: readonly { subject_id: string }[],
): Promise<void> {
  if (!(await isAutoTaggingOn(trx, orgId)) || !(await isModelInUse(trx, orgId))) return;
  if ((await listUntaughtTags(trx, orgId)).length === 0) return;
  const sessionIds = [...new Set(events.map(({ subject_id }) => subject_id))];
  await enqueue(
    trx,
    orgId,
    ...sessionIds.map((sessionId) =>
      signalWithStart(SUGGEST_TAGS, { orgId, sessionId }, WAKE, {
        subjectId: sessionId,
        summary: 'Ask the model which tags fit',
      }),
    ),
  );
}

/** Lists the tags that may be applied and about which too few sessions have taught anything. */
async function listUntaughtTags(db: Db, orgId: string): Promise<OfferedTag[]> {
  const report = await findTagReport(db, orgId);
  const taught = new Set(
    (report?.tags ?? []).filter(({ state }) => state !== 'too_few_examples').map(({ tag_key }) => tag_key),
  );
  const tags = await listTagsWithKeys(db, orgId);
  return tags.filter(({ tag_key, exclude_from_auto_tagging }) => !exclude_from_auto_tagging && !taught.has(tag_key));
}

/**
 * Asks the org's model which tags fit a session, by their names and descriptions, and stores them as suggestions: none is
 * applied. Tags that the session has, or that were removed from it, are not asked about. Returns the number of suggestions.
 */
export async function suggestTags(
  deps: ModelDeps,
  { orgId, sessionId }: SuggestionInput,
  signal: AbortSignal,
): Promise<number> {
  const { db } = deps;
  const settings = await getPublishedAiSettings(db, orgId);
  const chain = settings.mode === 'extractive' ? undefined : await findModels(deps, orgId, settings.models);
  const [session] = await getContactTexts(db, orgId, [sessionId]);
  if (chain === undefined || session === undefined) return 0;
  const { present, removed } = await getTagHistory(db, orgId, sessionId);
  const tags = (await listUntaughtTags(db, orgId))
    .filter(({ tag_key }) => !present.has(tag_key) && !removed.has(tag_key))
    .slice(0, MAX_TAGS);
  if (tags.length === 0) return 0;
  const question = {
    sessionId,
    turnId: null,
    purpose: 'tagging',
    messages: suggestionPrompt(tags, session.text),
    schema: GIVEN_TAGS_SCHEMA,
    maxTokens: MAX_TOKENS,
    temperature: 0,
    read: ({ text }: { text: string }) => GivenTags.safeParse(parseAnswer(text)).data,
  };
  const result = await askModel(deps, orgId, chain, settings, question, signal);
  if (result.kind !== 'answered') return 0;
  const { value, model } = result;
  const tagKeys = offeredKeys(value.tags, tags);
  await inTransaction(db, (trx) => replaceModelSuggestions(trx, orgId, sessionId, { tagKeys, model }));
  return tagKeys.length;
}
