import { getSession } from '../conversations/sessions/service.ts';
import { getTagHistory } from '../conversations/sessions/tagging.service.ts';
import type { Db, Trx } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { isAutoTaggingOn, listOrgsWithAutoTagging, listTagsWithKeys } from '../desk/tags/service.ts';
import { enqueue, signalWithStart } from '../outbox/outbox.ts';
import { WAKE } from '../temporal/contract.ts';
import { LEARN_TAGS } from './contract.ts';
import { countUnfinished, findTagReport, listDueOrgs, listSuggestions, upsertRequest } from './queries.ts';

/** One thread learns. An activity that waits for it takes a slot of the worker, which sequences need too. */
const MAX_UNFINISHED = 2;
/** Longer than an attempt may take. What has not ended then may never do, and does not stop the others. */
const UNFINISHED_FOR_HOURS = 1;
const UNLEARNT_TAG = { examples: 0, threshold: null, precision: null, coverage: null };

/** Returns whether tags are applied in an org, and what is known about each of its tags. */
export async function getAutoTagging(db: Db, orgId: string) {
  const report = await findTagReport(db, orgId);
  const learnt = new Map(report?.tags?.map((tag) => [tag.tag_key, tag]));
  const tags = await listTagsWithKeys(db, orgId);
  return {
    enabled: await isAutoTaggingOn(db, orgId),
    sessions: report?.sessions ?? 0,
    requested_at: report?.requested_at ?? null,
    learnt_at: report?.learnt_at ?? null,
    tags: tags.map(({ tag_key, tag_name, exclude_from_auto_tagging }) => {
      const { state, ...known } = learnt.get(tag_key) ?? { ...UNLEARNT_TAG, state: 'too_few_examples' as const };
      return { ...known, tag_name, state: exclude_from_auto_tagging ? ('excluded' as const) : state };
    }),
  };
}

/** Requests that an org's tags are learnt. Learning that is under way is repeated afterwards. */
export const requestLearning = (db: Db, orgId: string): Promise<void> =>
  inTransaction(db, async (trx) => {
    await request(trx, orgId);
  });

async function request(trx: Trx, orgId: string): Promise<void> {
  await upsertRequest(trx, orgId);
  const summary = 'Learn tags from tagged sessions';
  await enqueue(trx, orgId, signalWithStart(LEARN_TAGS, { orgId }, WAKE, { subjectId: orgId, summary }));
}

/**
 * Requests the daily learning of orgs with auto-tagging, so many that few wait for the thread: each that ends requests
 * the next. Returns the number of requests, 0 once enough wait or all have one.
 */
export const requestDailyLearning = (db: Db): Promise<number> =>
  inTransaction(db, async (trx) => {
    const limit = MAX_UNFINISHED - (await countUnfinished(trx, UNFINISHED_FOR_HOURS));
    if (limit <= 0) return 0;
    const due = await listDueOrgs(trx, await listOrgsWithAutoTagging(trx), limit);
    for (const orgId of due) await request(trx, orgId);
    return due.length;
  });

/** Returns the tags suggested for a session that it neither has nor had, the surest first. Throws notFound. */
export async function getTagSuggestions(db: Db, orgId: string, sessionId: string) {
  await getSession(db, orgId, sessionId);
  const { present, removed } = await getTagHistory(db, orgId, sessionId);
  const tags = new Map((await listTagsWithKeys(db, orgId)).map((tag) => [tag.tag_key, tag]));
  const suggestions = await listSuggestions(db, orgId, sessionId);
  const items = suggestions.flatMap(({ tag_key, score, model, created_at }) => {
    const tag = tags.get(tag_key);
    const isOpen = tag !== undefined && !tag.exclude_from_auto_tagging;
    return !isOpen || present.has(tag_key) || removed.has(tag_key)
      ? []
      : [{ tag_name: tag.tag_name, score, model, created_at }];
  });
  return { items };
}
