import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { lockName, tryLockName } from '../../db/locks.ts';

/** A stored row's path and the hash of its source. */
export interface StoredContent {
  id: string;
  path: string;
  /** As hex. */
  hash: string;
  position: number;
}

export interface CategoryRow {
  id: string;
  parent_id: string | null;
  path: string;
  slug: string;
  name: string;
  description: string | null;
  icon: string | null;
  position: number;
  hash: string;
}

export interface ArticleRow {
  id: string;
  category_id: string;
  path: string;
  slug: string;
  title: string;
  content_markdown: string | null;
  meta_title: string | null;
  meta_description: string | null;
  position: number;
  hash: string;
}

export interface OperationRow {
  id: string;
  path: string;
  hash: string;
}

type ContentTable = 'help_center_articles' | 'help_center_categories' | 'help_center_operations';

/** Locks the org's help center until the transaction ends, once no other change of it is at work. */
export const lockContent = (trx: Trx, orgId: string) => lockName(trx, `help-center ${orgId}`);

/** Locks the org's help center until the transaction ends. Returns whether no other change of it is at work. */
export const tryLockContent = (trx: Trx, orgId: string) => tryLockName(trx, `help-center ${orgId}`);

export async function listStored(trx: Trx, orgId: string, table: ContentTable): Promise<StoredContent[]> {
  const position = table === 'help_center_operations' ? sql`0` : sql`position`;
  const { rows } = await sql<StoredContent>`
    select id, path, encode(hash, 'hex') as hash, ${position} as position from ${sql.table(table)} where org_id = ${orgId}
  `.execute(trx);
  return rows;
}

export async function deleteStored(trx: Trx, orgId: string, table: ContentTable, ids: string[]): Promise<void> {
  if (ids.length > 0)
    await sql`delete from ${sql.table(table)} where org_id = ${orgId} and id = any(${ids}::uuid[])`.execute(trx);
}

/** Inserts or updates categories by id. Parents may come after their children. */
export async function upsertCategories(trx: Trx, orgId: string, rows: CategoryRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into help_center_categories (org_id, id, parent_id, path, slug, name, description, icon, position, hash)
    select ${orgId}, id, parent_id, path, slug, name, description, icon, position, decode(hash, 'hex')
    from ${recordset(rows)} as row (id uuid, parent_id uuid, path text, slug text, name text, description text, icon text, position int, hash text)
    on conflict (org_id, id) do update set
      parent_id = excluded.parent_id, path = excluded.path, slug = excluded.slug, name = excluded.name, description = excluded.description,
      icon = excluded.icon, position = excluded.position, hash = excluded.hash
  `.execute(trx);
}

/** Inserts or updates articles by id. */
export async function upsertArticles(trx: Trx, orgId: string, rows: ArticleRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into help_center_articles
      (org_id, id, category_id, path, slug, title, content_markdown, meta_title, meta_description, position, hash)
    select ${orgId}, id, category_id, path, slug, title, content_markdown, meta_title, meta_description, position, decode(hash, 'hex')
    from ${recordset(rows)} as row (
      id uuid, category_id uuid, path text, slug text, title text, content_markdown text, meta_title text, meta_description text,
      position int, hash text
    )
    on conflict (org_id, id) do update set
      category_id = excluded.category_id, title = excluded.title, content_markdown = excluded.content_markdown,
      meta_title = excluded.meta_title, meta_description = excluded.meta_description, position = excluded.position,
      hash = excluded.hash, updated_at = now()
  `.execute(trx);
}

/** Changes the positions of articles with otherwise unchanged content. */
export async function moveArticles(trx: Trx, orgId: string, rows: { id: string; position: number }[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update help_center_articles as article set position = row.position
    from ${recordset(rows)} as row (id uuid, position int)
    where article.org_id = ${orgId} and article.id = row.id
  `.execute(trx);
}

export async function upsertOperations(trx: Trx, orgId: string, rows: OperationRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into help_center_operations (org_id, id, path, hash)
    select ${orgId}, id, path, decode(hash, 'hex') from ${recordset(rows)} as row (id uuid, path text, hash text)
    on conflict (org_id, id) do update set hash = excluded.hash
  `.execute(trx);
}

export async function updateSpecification(trx: Trx, orgId: string, openapi_spec: string | null): Promise<void> {
  await trx
    .insertInto('help_centers')
    .values({ org_id: orgId, openapi_spec })
    .onConflict((oc) => oc.column('org_id').doUpdateSet({ openapi_spec }))
    .execute();
}

export const findSpecification = (db: Db, orgId: string) =>
  db.selectFrom('help_centers').select('openapi_spec').where('org_id', '=', orgId).executeTakeFirst();

/** Returns all categories, siblings in their order. */
export const listCategories = (db: Db, orgId: string) =>
  db
    .selectFrom('help_center_categories')
    .select(['id', 'parent_id', 'path', 'slug', 'name', 'description', 'icon'])
    .where('org_id', '=', orgId)
    .orderBy('position')
    .execute();

/** Returns all articles with their content, siblings in their order. */
export const listArticleContents = (db: Db, orgId: string) =>
  db
    .selectFrom('help_center_articles')
    .select(['category_id', 'title', 'slug', 'content_markdown', 'meta_title', 'meta_description'])
    .where('org_id', '=', orgId)
    .orderBy('position')
    .execute();

const recordset = (rows: object[]): RawBuilder<unknown> => sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)`;
