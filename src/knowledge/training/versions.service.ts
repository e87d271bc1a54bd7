import type { Db } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { DomainError } from '../../errors.ts';
import { changeTraining, type Editor, getTraining, MAX_VERSIONS } from './service.ts';
import { findVersion, listVersions } from './versions.queries.ts';
import type { ListVersions } from './versions.schema.ts';

/** Returns a page of the kept versions of a training item, oldest first. Throws notFound. */
export async function pageOfVersions(db: Db, orgId: string, id: string, query: ListVersions) {
  await getTraining(db, orgId, id);
  const { items, next } = await pageOf(db, query, (page) => listVersions(db, orgId, id, page));
  return { items: items.map(shownVersion), next };
}

/** Returns a version of a training item. Throws notFound, also for one that is no longer kept. */
export async function getVersion(db: Db, orgId: string, id: string, version: number) {
  const item = await getTraining(db, orgId, id);
  const found = await findVersion(db, orgId, item.id, version);
  if (found === undefined)
    throw new DomainError(
      'not_found',
      `Version ${version} not found: the newest ${MAX_VERSIONS} versions are kept, and GET /training/${id}/versions lists them`,
    );
  return shownVersion(found);
}

const shownVersion = <Row extends { created_at: Date }>({ created_at, ...version }: Row) => ({
  ...version,
  published_at: created_at,
});

/**
 * Publishes the text of an earlier version as the next one. All other fields of the item stay. The text that is published
 * already makes no new version. Throws notFound, and conflict as changeTraining does.
 */
export async function rollBackTraining(db: Db, editor: Editor, id: string, version: number) {
  const { title, content } = await getVersion(db, editor.id, id, version);
  return changeTraining(db, editor, { id }, { title, content, is_draft: false });
}
