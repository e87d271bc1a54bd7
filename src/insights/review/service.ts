import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { idOf, NIL_UUID } from '../../ids.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import { decideTags } from '../../tagging/decisions.rules.ts';
import type { TagLearner } from '../../tagging/learner.ts';
import { decodeModel, scoreTexts } from '../../tagging/model.rules.ts';
import { WAKE } from '../../temporal/contract.ts';
import { getCategories } from '../categories/service.ts';
import { sumByRoot } from '../similarity/centroids.rules.ts';
import { alikePairs } from '../similarity/pairs.ts';
import { readSum } from '../similarity/vectors.rules.ts';
import { WORDS } from '../similarity/words.rules.ts';
import { REVIEW_INSIGHTS, type ReviewResult } from './contract.ts';
import {
  countUnfinished,
  dismiss,
  findProposal,
  findReview,
  listCategorizedTexts,
  listDueOrgs,
  listProposals,
  listSums,
  listUncategorized,
  updateCategories,
  updateReviewed,
  upsertLearnt,
  upsertProposals,
  upsertRequest,
} from './queries.ts';

/** Reviews and tags learn in the same thread. An activity waiting for it takes a slot of the worker. */
const MAX_UNFINISHED = 1;
/** Longer than an attempt may take. Older ones may never end, and do not stop the others. */
const UNFINISHED_FOR_HOURS = 1;
const MAX_TEXTS = 20_000;
const INSIGHTS_PER_BATCH = 200;
const STATEMENTS_PER_INSIGHT = 8;
/** Proposals compare the insights with the most sessions. */
const MAX_COMPARED = 3_000;
const MAX_PROPOSALS = 100;
/** Two insights this alike may be the same. Single statements join an insight at less. */
const PROPOSED_LIKENESS = 0.6;

/** Requests a review of an org's insights. A running one is repeated afterwards. */
export const requestReview = (db: Db, orgId: string): Promise<void> =>
  inTransaction(db, async (trx) => {
    await request(trx, orgId);
  });

async function request(trx: Trx, orgId: string): Promise<void> {
  await upsertRequest(trx, orgId);
  const summary = 'Learn categories and propose merges';
  await enqueue(trx, orgId, signalWithStart(REVIEW_INSIGHTS, { orgId }, WAKE, { subjectId: orgId, summary }));
}

/**
 * Requests the weekly review of an org if none is under way: the end of each requests the next. Returns the number of
 * requests, 0 once all have one.
 */
export const requestWeeklyReviews = (db: Db): Promise<number> =>
  inTransaction(db, async (trx) => {
    const limit = MAX_UNFINISHED - (await countUnfinished(trx, UNFINISHED_FOR_HOURS));
    if (limit <= 0) return 0;
    const due = await listDueOrgs(trx, limit);
    for (const orgId of due) await request(trx, orgId);
    return due.length;
  });

/** Returns the open proposals, and when they were made. */
export async function getProposals(db: Db, orgId: string) {
  const review = await findReview(db, orgId);
  return {
    requested_at: review?.requested_at ?? null,
    reviewed_at: review?.reviewed_at ?? null,
    items: await listProposals(db, orgId, MAX_PROPOSALS),
  };
}

/** Dismisses a proposal, and returns it: it is not made again. Throws notFound. */
export async function dismissProposal(db: Db, orgId: string, id: string) {
  await dismiss(db, orgId, id);
  const proposal = await findProposal(db, orgId, id);
  if (proposal === undefined) throw notFound('proposal');
  return proposal;
}

/**
 * Learns the categories given by people, gives them to the other insights, and proposes merges of similar insights.
 * Afterwards comes the next org with a finished week. Repeated, it does the same.
 */
export async function reviewInsights(
  db: Db,
  learner: TagLearner,
  orgId: string,
  signal: AbortSignal,
): Promise<ReviewResult> {
  const categorized = await categorize(db, learner, orgId, signal);
  const proposed = await propose(db, orgId, signal);
  await updateReviewed(db, orgId);
  await requestWeeklyReviews(db);
  return { categorized, proposed };
}

async function categorize(db: Db, learner: TagLearner, orgId: string, signal: AbortSignal): Promise<number> {
  const read = async () => {
    const examples = await listCategorizedTexts(db, orgId, MAX_TEXTS);
    return { texts: examples.map(({ text, category }) => ({ text, tags: [category], unsure: [] })) };
  };
  const { tags, model } = await learner.learn(orgId, read, signal);
  await upsertLearnt(db, orgId, { tags, model });
  const classifiers = decodeModel(Buffer.from(model));
  const allowed = new Set((await getCategories(db, orgId)).categories);
  let changed = 0;
  let after: string = NIL_UUID;
  for (;;) {
    signal.throwIfAborted();
    const batch = { after, limit: INSIGHTS_PER_BATCH, statements: STATEMENTS_PER_INSIGHT };
    const insights = await listUncategorized(db, orgId, batch);
    const last = insights.at(-1);
    if (last === undefined) return changed;
    const scores = scoreTexts(
      classifiers,
      insights.map(({ text }) => text),
    );
    const decided = insights.map(({ id }, nth) => ({ id, category: surestOf(tags, scores[nth] ?? [], allowed) }));
    changed += await updateCategories(db, orgId, decided);
    after = last.id;
  }
}

/** Returns the surest of the applicable categories, or null. */
function surestOf(
  tags: Parameters<typeof decideTags>[0],
  scores: number[],
  allowed: ReadonlySet<string>,
): string | null {
  const applied = new Set(decideTags(tags, scores, allowed).applied);
  let best: { key: string; score: number } | null = null;
  for (const [nth, { tag_key: key }] of tags.entries()) {
    const score = scores[nth] ?? Number.NEGATIVE_INFINITY;
    if (applied.has(key) && (best === null || score > best.score)) best = { key, score };
  }
  return best?.key ?? null;
}

async function propose(db: Db, orgId: string, signal: AbortSignal): Promise<number> {
  const rows = await listSums(db, orgId, MAX_COMPARED);
  const numbers = new Map(rows.map(({ root_id, number }) => [root_id, number]));
  const sums = sumByRoot(rows.map((row) => ({ ...row, sum: readSum(row.sum) })));
  const isCentred = (rows[0]?.space ?? WORDS) !== WORDS;
  const pairs = await alikePairs(sums, { atLeast: PROPOSED_LIKENESS, limit: MAX_PROPOSALS, isCentred }, signal);
  const proposals = pairs.map(({ one, other, similarity }) => {
    const isOlder = (numbers.get(one) ?? 0) < (numbers.get(other) ?? 0);
    const [insight_id, other_id] = isOlder ? [one, other] : [other, one];
    return { id: idOf('insight proposal', orgId, insight_id, other_id), insight_id, other_id, similarity };
  });
  return upsertProposals(db, orgId, proposals);
}
