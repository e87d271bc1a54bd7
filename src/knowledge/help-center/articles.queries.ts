import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { type CreatedWithin, countCreated, inIdOrder, type KeysetPage } from '../../db/keyset.ts';

/** SQL: the answers of readers to an article, in all languages. */
const FEEDBACK = sql<{ helpful: number; not_helpful: number }>`(
  select jsonb_build_object('helpful', coalesce(sum(helpful), 0), 'not_helpful', coalesce(sum(not_helpful), 0))
  from help_center_feedback as counted
  where counted.org_id = help_center_articles.org_id and counted.article_id = help_center_articles.id
)`.as('feedback');

const LISTED_COLUMNS = [
  'id',
  'title',
  'slug',
  'path',
  'meta_title',
  'meta_description',
  'created_at',
  'updated_at',
] as const;

/** Returns a page of articles by creation. */
export const listArticles = (db: Db, orgId: string, page: PageRequest) =>
  db
    .selectFrom('help_center_articles')
    .select([...LISTED_COLUMNS, FEEDBACK])
    .where('org_id', '=', orgId)
    .$call(orderedByCreation(page))
    .execute();

export const listArticlesById = (db: Db, orgId: string, ids: string[]) =>
  db
    .selectFrom('help_center_articles')
    .select([...LISTED_COLUMNS, FEEDBACK])
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute();

export const findArticle = (db: Db, orgId: string, id: string) =>
  db
    .selectFrom('help_center_articles')
    .select([...LISTED_COLUMNS, FEEDBACK, 'content_markdown'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();

export const findArticleByPath = (db: Db, orgId: string, path: string) =>
  db
    .selectFrom('help_center_articles')
    .select([...LISTED_COLUMNS, 'content_markdown', sql<string>`encode(hash, 'hex')`.as('hash')])
    .where('org_id', '=', orgId)
    .where('path', '=', path)
    .executeTakeFirst();

/** Returns the language of an org with a help center. */
export const findCenter = (db: Db, orgId: string): Promise<{ language: string } | undefined> =>
  db
    .selectFrom('help_centers as center')
    .innerJoin('orgs as org', 'org.id', 'center.org_id')
    .select('org.language')
    .where('center.org_id', '=', orgId)
    .executeTakeFirst();

/**
 * Returns the contents of a category and its descendants, or of the whole help center without a path, in tree order.
 */
export async function listTableOfContents(db: Db, orgId: string, path?: string) {
  const { rows } = await sql<{
    path: string;
    title: string;
    description: string | null;
    icon: string | null;
    depth: number;
    is_category: boolean;
    updated_at: Date | null;
  }>`
    with recursive tree as (
      select id, path, name, description, icon, 1 as depth, array[position] as place
      from help_center_categories
      where org_id = ${orgId} and ${path === undefined ? sql`parent_id is null` : sql`path = ${path}`}
      union all
      select child.id, child.path, child.name, child.description, child.icon, tree.depth + 1, tree.place || (1000000 + child.position)
      from help_center_categories child join tree on child.parent_id = tree.id
      where child.org_id = ${orgId}
    )
    select path, name as title, description, icon, depth, true as is_category, null::timestamptz as updated_at, place from tree
    union all
    select article.path, article.title, article.meta_description, null, tree.depth + 1, false, article.updated_at, tree.place || article.position
    from help_center_articles article join tree on article.category_id = tree.id
    where article.org_id = ${orgId}
    order by place
  `.execute(db);
  return rows;
}

/** Returns the categories at these paths, the outermost first. */
export function listBreadcrumbs(db: Db, orgId: string, paths: string[]) {
  return db
    .selectFrom('help_center_categories')
    .select(['path', 'name as title'])
    .where('org_id', '=', orgId)
    .where(sql<boolean>`path = any(${paths}::text[])`)
    .orderBy(sql`length(path)`)
    .execute();
}

/** Lists a part of the articles with their contents, in the order of their ids. */
export const listArticlesInOrder = (db: Db, orgId: string, page: KeysetPage) =>
  db
    .selectFrom('help_center_articles')
    .select([...LISTED_COLUMNS, FEEDBACK, 'content_markdown'])
    .where('org_id', '=', orgId)
    .$call(inIdOrder(page, 'help_center_articles'))
    .execute();

export const countArticles = (trx: Trx, orgId: string, created: CreatedWithin): Promise<number> =>
  countCreated(trx, trx.selectFrom('help_center_articles').where('org_id', '=', orgId), {
    of: 'help_center_articles',
    created,
  });
