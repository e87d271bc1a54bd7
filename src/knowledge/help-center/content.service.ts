import { createHash } from 'node:crypto';
import { valueAt } from '../../collections/checked-access.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { InvalidDocument } from '../../documents/openapi.ts';
import type { DocumentFormat, DocumentReader } from '../../documents/reader.ts';
import { conflict, invalid, refused } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { indexItems, type KnowledgeItem, removeItems, updateItemUrls } from '../index/service.ts';
import { addressOf } from './addresses.rules.ts';
import {
  deleteStored,
  findSpecification,
  listArticleContents,
  listCategories,
  listStored,
  lockContent,
  moveArticles,
  type StoredContent,
  tryLockContent,
  updateSpecification,
  upsertArticles,
  upsertCategories,
  upsertOperations,
} from './content.queries.ts';
import type { HelpCategory, SyncContentTree } from './content.schema.ts';
import { type Operation, readOperations } from './operations.ts';
import { buildTree, type FlattenedTree, flattenTree } from './tree.rules.ts';

/** Names of these sources in a search's `dataSources`. */
export const ARTICLES_SOURCE = 'help_center';
const OPERATIONS_SOURCE = 'api_reference';

const FORMAT: DocumentFormat<Operation[]> = {
  module: new URL('./operations.ts', import.meta.url),
  name: 'readOperations' satisfies keyof typeof import('./operations.ts'),
  read: readOperations,
};

/** An org's help center and the public URL of the api. */
interface HelpCenterRef {
  publicUrl: string;
  orgId: string;
}

/**
 * Syncs the help center with the tree, in one transaction: creates rows for new paths, deletes those missing in the
 * tree, and updates those with different content. Throws invalid listing every problem of the tree, and conflict if
 * another sync is at work.
 */
export async function syncContent(
  { db, documents }: { db: Db; documents: DocumentReader },
  ref: HelpCenterRef,
  { categories, openapi_spec }: SyncContentTree,
) {
  const placed = flattenTree(categories);
  assertPlaced(placed);
  const operations = openapi_spec === undefined ? [] : await readSpecification(documents, ref.orgId, openapi_spec);
  return inTransaction(db, async (trx) => {
    if (!(await tryLockContent(trx, ref.orgId)))
      throw conflict('Another sync of the help center is in progress: try again when it has ended');
    await updateSpecification(trx, ref.orgId, openapi_spec ?? null);
    const counts = await syncTree(trx, ref, placed);
    return { ...counts, operations: await syncOperations(trx, ref.orgId, operations) };
  });
}

/**
 * Changes the categories and articles of the help center, in one transaction that no other change is at work beside. Throws
 * invalid listing every problem of the new tree.
 */
export async function changeContent(
  trx: Trx,
  ref: HelpCenterRef,
  change: (categories: HelpCategory[]) => HelpCategory[],
): Promise<void> {
  await lockContent(trx, ref.orgId);
  const { categories } = await getContent(trx, ref.orgId);
  const placed = flattenTree(change(categories));
  assertPlaced(placed);
  await syncTree(trx, ref, placed);
}

function assertPlaced({ issues }: FlattenedTree): void {
  if (issues.length === 0) return;
  const summary = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw invalid(`The request is not valid: ${summary.slice(0, 500)}`, issues);
}

/** Returns the tree as submitted. */
export async function getContent(db: Db, orgId: string) {
  const specification = (await findSpecification(db, orgId))?.openapi_spec;
  const categories = buildTree(await listCategories(db, orgId), await listArticleContents(db, orgId));
  return { categories, ...(specification == null ? {} : { openapi_spec: specification }) };
}

/** Reads the operations of an OpenAPI document. Throws invalid with its problem. */
async function readSpecification(documents: DocumentReader, orgId: string, text: string): Promise<Operation[]> {
  try {
    return await documents.read(orgId, FORMAT, text);
  } catch (error) {
    throw error instanceof InvalidDocument ? refused('openapi_spec', error.message) : error;
  }
}

async function syncTree(trx: Trx, { publicUrl, orgId }: HelpCenterRef, { categories, articles }: FlattenedTree) {
  const categoryChanges = diffRows(
    await listStored(trx, orgId, 'help_center_categories'),
    categories.map((one) => {
      const { name, slug, description = null, icon = null } = one.category;
      const row = { path: one.path, slug, name, description, icon, position: one.position };
      return { ...row, parentPath: one.parentPath, hash: hashOf([name, description, icon]) };
    }),
  );
  const articleChanges = diffRows(
    await listStored(trx, orgId, 'help_center_articles'),
    articles.map(({ path, parentPath, position, article }) => {
      const { title, slug, content_markdown = null, meta_title = null, meta_description = null } = article;
      const row = { path, slug, title, content_markdown, meta_title, meta_description, position };
      return { ...row, parentPath, hash: hashOf([title, content_markdown, meta_title, meta_description]) };
    }),
  );
  const idOf = new Map<string | undefined, string>(categoryChanges.all.map(({ path, id }) => [path, id]));
  const parentIdOf = (path: string | undefined) => (path === undefined ? null : valueAt(idOf, path));

  await deleteStored(trx, orgId, 'help_center_articles', articleChanges.gone);
  await deleteStored(trx, orgId, 'help_center_categories', categoryChanges.gone);
  const changedCategories = [...categoryChanges.changed, ...categoryChanges.moved];
  await upsertCategories(
    trx,
    orgId,
    changedCategories.map((row) => ({ ...row, parent_id: parentIdOf(row.parentPath) })),
  );
  const changed = articleChanges.changed.map((row) => ({ ...row, category_id: valueAt(idOf, row.parentPath) }));
  await upsertArticles(trx, orgId, changed);
  await moveArticles(trx, orgId, articleChanges.moved);

  const urlOf = (path: string) => addressOf(publicUrl, orgId, path);
  await removeItems(trx, orgId, articleChanges.gone);
  await indexItems(
    trx,
    orgId,
    changed.map(({ id, path, title, content_markdown }) =>
      itemOf(ARTICLES_SOURCE, { id, title, markdown: content_markdown ?? '', url: urlOf(path) }),
    ),
  );
  // The installation may have another address than when the article was last changed.
  const indexed = new Set(changed.map(({ id }) => id));
  const kept = articleChanges.all.filter(({ id }) => !indexed.has(id));
  await updateItemUrls(
    trx,
    orgId,
    kept.map(({ id, path }) => ({ id, url: urlOf(path) })),
  );
  return { ...articleChanges.counts, categories: categoryChanges.counts };
}

async function syncOperations(trx: Trx, orgId: string, operations: Operation[]) {
  const { gone, changed, counts } = diffRows(
    await listStored(trx, orgId, 'help_center_operations'),
    operations.map((operation) => ({ ...operation, position: 0 })),
  );
  await deleteStored(trx, orgId, 'help_center_operations', gone);
  await upsertOperations(trx, orgId, changed);
  await removeItems(trx, orgId, gone);
  await indexItems(
    trx,
    orgId,
    changed.map(({ id, title, markdown }) => itemOf(OPERATIONS_SOURCE, { id, title, markdown, url: null })),
  );
  return counts;
}

interface DesiredRow {
  path: string;
  hash: string;
  position: number;
}

/** Compares wanted and stored rows: returns new or changed rows, rows with only a new position, and deleted ids. */
function diffRows<Row extends DesiredRow>(stored: StoredContent[], wanted: Row[]) {
  const storedAt = new Map(stored.map((row) => [row.path, row]));
  const all = wanted.map((row) => ({ ...row, id: storedAt.get(row.path)?.id ?? newId() }));
  const isNew = ({ path }: DesiredRow) => !storedAt.has(path);
  const changed = all.filter((row) => storedAt.get(row.path)?.hash !== row.hash);
  const moved = all.filter((row) => {
    const known = storedAt.get(row.path);
    return known?.hash === row.hash && known.position !== row.position;
  });
  const wantedPaths = new Set(wanted.map(({ path }) => path));
  const gone = stored.filter(({ path }) => !wantedPaths.has(path)).map(({ id }) => id);
  const created = all.filter(isNew).length;
  const counts = {
    created,
    updated: changed.length - created,
    deleted: gone.length,
    unchanged: all.length - changed.length,
  };
  return { all, changed, moved, gone, counts };
}

const itemOf = (source: string, item: Pick<KnowledgeItem, 'id' | 'title' | 'markdown' | 'url'>): KnowledgeItem => ({
  ...item,
  sourceType: 'help_center',
  source,
  visibility: 'public',
  language: null,
  channels: [],
  segments: [],
  isDraft: false,
});

const hashOf = (parts: (string | null)[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');
