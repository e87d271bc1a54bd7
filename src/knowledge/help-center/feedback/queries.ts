import { sql } from 'kysely';
import type { Db, Trx } from '../../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../../db/cursor.ts';
import { deleteSome } from '../../../db/deletion.ts';

interface NewAnswer {
  id: string;
  path: string;
  language: string;
  isHelpful: boolean;
}

/** Stores and counts the answer of a reader to the article at a path. Returns whether there is such an article. */
export async function insertAnswer(trx: Trx, orgId: string, { id, path, language, isHelpful }: NewAnswer) {
  const { rows } = await sql<{ article_id: string }>`
    with article as (
      select org_id, id from help_center_articles where org_id = ${orgId} and path = ${path} for key share
    ), answer as (
      insert into help_center_answers (org_id, id, article_id, language, is_helpful)
      select org_id, ${id}::uuid, id, ${language}, ${isHelpful} from article
    )
    insert into help_center_feedback as counted (org_id, article_id, language, helpful, not_helpful)
    select org_id, id, ${language}, ${isHelpful}::boolean::integer, (not ${isHelpful}::boolean)::integer from article
    on conflict (org_id, article_id, language) do update
    set helpful = counted.helpful + excluded.helpful, not_helpful = counted.not_helpful + excluded.not_helpful
    returning article_id
  `.execute(trx);
  return rows.length > 0;
}

/** How long a reader may take to write a sentence. */
const COMMENT_TIME = sql`interval '1 day'`;

/** Adds a sentence to an answer to the article at a path, once. */
export async function updateComment(
  db: Db,
  orgId: string,
  { path, id, comment }: { path: string; id: string; comment: string },
) {
  await sql`
    update help_center_answers as answer set comment = ${comment}, updated_at = now() from help_center_articles as article
    where answer.org_id = ${orgId} and answer.id = ${id} and answer.comment is null and answer.redacted_at is null
      and answer.created_at > now() - ${COMMENT_TIME}
      and article.org_id = answer.org_id and article.id = answer.article_id and article.path = ${path}
  `.execute(db);
}

/**
 * Removes the sentence of an answer. Returns whether it had one still, or undefined if there is no answer with a sentence.
 */
export async function redactComment(trx: Trx, orgId: string, id: string): Promise<boolean | undefined> {
  const { rows } = await sql<{ had_comment: boolean }>`
    with found as (
      select org_id, id, comment is not null as had_comment from help_center_answers
      where org_id = ${orgId} and id = ${id} and (comment is not null or redacted_at is not null)
      for update
    )
    update help_center_answers as answer set comment = null, redacted_at = coalesce(redacted_at, now()), updated_at = now()
    from found where answer.org_id = found.org_id and answer.id = found.id
    returning found.had_comment
  `.execute(trx);
  return rows[0]?.had_comment;
}

/** Lists the numbers of answers to an article by language, the most answered first. */
export const listCounts = (db: Db, orgId: string, articleId: string) =>
  db
    .selectFrom('help_center_feedback')
    .select(['language', 'helpful', 'not_helpful'])
    .where('org_id', '=', orgId)
    .where('article_id', '=', articleId)
    .orderBy(sql`helpful + not_helpful`, 'desc')
    .orderBy('language')
    .execute();

/** Lists a page of the answers with a sentence. */
export const listComments = (db: Db, orgId: string, articleId: string, page: PageRequest) =>
  db
    .selectFrom('help_center_answers')
    .select(['id', 'language', 'is_helpful', 'created_at'])
    .select((eb) => eb.ref('comment').$notNull().as('comment'))
    .where('org_id', '=', orgId)
    .where('article_id', '=', articleId)
    .where('comment', 'is not', null)
    .$call(orderedByCreation(page))
    .execute();

/** Deletes some answers of all orgs that are older than a year. Returns their number: 0 once none are left. */
export const deleteOldAnswers = (db: Db): Promise<number> =>
  deleteSome(db, 'help_center_answers', sql`created_at < now() - interval '365 days'`);
