import type { Db, Trx } from '../../db/connect.ts';
import { decodeCursor, pageOf, toPage } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, notFound, refused } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { createInsight } from '../assignment/creation.service.ts';
import { type MovedStatement, moveVectors } from '../assignment/moves.service.ts';
import { nameByHand, renameMisnamed } from '../naming/central.service.ts';
import { lockInsights, moveSessions, recount } from '../queries.ts';
import { getInsight } from '../service.ts';
import { reopenIfOccurred } from '../states/reopening.service.ts';
import {
  attach,
  countStatements,
  detach,
  findLineages,
  findOperationForUpdate,
  findSplitFromAbove,
  insertMoves,
  insertOperation,
  listMoved,
  listOccurrences,
  listOperations,
  listOperationsById,
  listStatementsOf,
  moveStatements,
  touchCentroids,
  updateUndone,
} from './queries.ts';
import type { ListOccurrences, ListOperations, SplitInsight } from './schema.ts';

/** The caller's org and API key. */
export interface Caller {
  id: string;
  keyId: string;
}

/** Returns the id of an insight's root: the insight it is merged into, or itself. Throws notFound. */
async function getRootId(trx: Trx, orgId: string, id: string): Promise<string> {
  const [insight] = await findLineages(trx, orgId, [id]);
  if (insight === undefined) throw notFound('insight');
  return insight.root_id;
}

/**
 * Merges insights into one. It gets their occurrences, and future ones. Each can be undone. Throws notFound, invalid
 * for insights unknown to the org, and conflict for parts of another one.
 */
export const mergeInsights = (db: Db, { id: orgId, keyId }: Caller, id: string, insightIds: string[]) =>
  inTransaction(db, async (trx) => {
    await lockInsights(trx, orgId);
    const rootId = await getRootId(trx, orgId, id);
    const merged = await findLineages(trx, orgId, insightIds);
    if (merged.length < insightIds.length)
      throw refused('insight_ids', 'must be ids of insights: POST /insights lists them');
    for (const { id: mergedId, number, merged_into } of merged) {
      if (mergedId === rootId) throw refused('insight_ids', `insight ${number} cannot become part of itself`);
      if (merged_into !== null) throw conflict(`Insight ${number} is already part of another one`);
    }
    const operations = merged.map((one) => ({ insight_id: one.id, id: newId() }));
    for (const { id: operationId, insight_id } of operations) {
      await mergeOne(trx, orgId, insight_id, rootId);
      const operation = { id: operationId, kind: 'merge' as const, insight_id, other_id: rootId };
      await insertOperation(trx, { org_id: orgId, done_by: keyId, ...operation });
    }
    const ids = operations.map((operation) => operation.id);
    return { items: await listOperationsById(trx, orgId, ids) };
  });

async function mergeOne(trx: Trx, orgId: string, id: string, rootId: string): Promise<void> {
  await attach(trx, orgId, id, { id: rootId, rootId });
  await moveSessions(trx, orgId, id, rootId);
  await settle(trx, orgId, [rootId, id]);
}

/** Updates everything derived from the statements of insights. */
async function settle(trx: Trx, orgId: string, ids: string[]): Promise<void> {
  await recount(trx, orgId, ids);
  await touchCentroids(trx, orgId, ids);
  await renameMisnamed(trx, orgId, ids);
  await reopenIfOccurred(trx, orgId, ids);
}

/**
 * Makes occurrences of an insight an insight of their own. It can be undone. Throws notFound, invalid for occurrences of
 * another insight, and conflict for all of them.
 */
export const splitInsight = (
  db: Db,
  { id: orgId, keyId }: Caller,
  id: string,
  { occurrence_ids: ids, content }: SplitInsight,
) =>
  inTransaction(db, async (trx) => {
    await lockInsights(trx, orgId);
    const rootId = await getRootId(trx, orgId, id);
    const statements = await listStatementsOf(trx, orgId, rootId, ids);
    const [first] = statements;
    if (first === undefined || statements.length < ids.length)
      throw refused('occurrence_ids', 'must be ids of occurrences: GET /insights/{id}/occurrences lists them');
    if (statements.length === (await countStatements(trx, orgId, rootId)))
      throw conflict('occurrence_ids has all occurrences of the insight: leave at least one');
    const newOne = await createInsight(trx, orgId, { content: content ?? first.content, source: first.id });
    const operation = { id: newId(), kind: 'split' as const, insight_id: newOne, other_id: rootId };
    await insertOperation(trx, { org_id: orgId, done_by: keyId, ...operation });
    await insertMoves(trx, orgId, operation.id, statements);
    await move(
      trx,
      orgId,
      statements.map((one) => ({ ...one, to: newOne })),
    );
    await moveSessions(trx, orgId, rootId, newOne);
    await settle(trx, orgId, [rootId, newOne]);
    if (content !== undefined) await nameByHand(trx, orgId, newOne, content);
    const [done] = await listOperationsById(trx, orgId, [operation.id]);
    if (done === undefined) throw new Error('The operation was just inserted');
    return { operation: done, insight: await getInsight(trx, orgId, newOne) };
  });

async function move(
  trx: Trx,
  orgId: string,
  statements: (MovedStatement & { id: string; to: string })[],
): Promise<void> {
  await moveVectors(trx, orgId, statements);
  await moveStatements(trx, orgId, statements);
}

/**
 * Undoes a merge or a split. Occurrences since then stay with the most similar insight. Throws notFound, and conflict
 * for an operation already undone, or one that a later one depends on.
 */
export const undoOperation = (db: Db, { id: orgId, keyId }: Caller, operationId: string) =>
  inTransaction(db, async (trx) => {
    await lockInsights(trx, orgId);
    const operation = await findOperationForUpdate(trx, orgId, operationId);
    if (operation === undefined) throw notFound('operation');
    if (operation.undone_at !== null) throw conflict('The operation was already undone');
    const insights = await findLineages(trx, orgId, [operation.insight_id, operation.other_id]);
    const insight = insights.find(({ id }) => id === operation.insight_id);
    const other = insights.find(({ id }) => id === operation.other_id);
    if (insight === undefined || other === undefined) throw notFound('insight');
    if (operation.kind === 'merge') await separate(trx, orgId, insight, other);
    else await rejoin(trx, orgId, operationId, { insight, other });
    return updateUndone(trx, orgId, operationId, keyId);
  });

type Lineage = Awaited<ReturnType<typeof findLineages>>[number];

const changedSince = (number: number) => conflict(`Insight ${number} was merged or split since then: undo that first`);

/** Undoes a merge, unless some of its moved statements were split off since then. */
async function separate(trx: Trx, orgId: string, { id, number, ...insight }: Lineage, into: Lineage): Promise<void> {
  if (insight.merged_into !== into.id) throw changedSince(number);
  const split = await findSplitFromAbove(trx, orgId, id);
  if (split !== undefined) throw conflict(`Insight ${split} was split off since then: undo that first`);
  await detach(trx, orgId, id);
  await moveSessions(trx, orgId, insight.root_id, id);
  await settle(trx, orgId, [insight.root_id, id]);
}

/**
 * Undoes a split: its statements return to their former insights. The new insight, with its later statements, becomes
 * part of the one that has them, or of the split one if there are several.
 */
async function rejoin(
  trx: Trx,
  orgId: string,
  operationId: string,
  { insight: { id, number, merged_into }, other }: { insight: Lineage; other: Lineage },
): Promise<void> {
  const statements = await listMoved(trx, orgId, operationId);
  const areThere = statements.every(({ own_insight_id }) => own_insight_id === id);
  if (merged_into !== null || other.root_id === id || !areThere) throw changedSince(number);
  await move(trx, orgId, statements);
  const [owner, ...others] = new Set(statements.map(({ to }) => to));
  const into = owner === undefined || others.length > 0 ? other.id : owner;
  await attach(trx, orgId, id, { id: into, rootId: other.root_id });
  await moveSessions(trx, orgId, id, other.root_id);
  await settle(trx, orgId, [other.root_id, id]);
}

/** Returns a page of merges and splits, in the order of their execution. */
export const pageOfOperations = (db: Db, orgId: string, { insight_id, ...page }: ListOperations) =>
  pageOf(db, page, (page) => listOperations(db, orgId, insight_id, page));

/** Returns a page of an insight's occurrences, the latest first. Throws notFound. */
export async function pageOfOccurrences(db: Db, orgId: string, id: string, { cursor, limit }: ListOccurrences) {
  const insight = await getInsight(db, orgId, id);
  const before = cursor === undefined ? undefined : decodeCursor(cursor);
  const rows = await listOccurrences(db, orgId, insight.id, { before, limit });
  return toPage(rows, limit, ({ said_at }) => said_at);
}
