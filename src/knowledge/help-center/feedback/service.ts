import { recordRedaction } from '../../../conversations/redaction/service.ts';
import type { Db } from '../../../db/connect.ts';
import { pageOf } from '../../../db/cursor.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { notFound } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import { findArticle } from '../articles.queries.ts';
import { insertAnswer, listComments, listCounts, redactComment, updateComment } from './queries.ts';
import type { ListFeedback, RedactFeedback } from './schema.ts';

export { deleteOldAnswers as deleteOldFeedback } from './queries.ts';

interface Answered {
  path: string;
  language: string;
  isHelpful: boolean;
}

/** Counts the answer of a reader, and returns its id. Undefined if there is no article at the path. */
export function addAnswer(db: Db, orgId: string, answered: Answered): Promise<string | undefined> {
  return inTransaction(db, async (trx) => {
    const id = newId();
    return (await insertAnswer(trx, orgId, { id, ...answered })) ? id : undefined;
  });
}

/** Adds a sentence to an answer. One that is too old, or has a sentence already, stays as it is. */
export async function addComment(
  db: Db,
  orgId: string,
  { comment, ...answer }: { path: string; id: string; comment: string },
): Promise<void> {
  const said = comment.trim();
  if (said !== '') await updateComment(db, orgId, { ...answer, comment: said });
}

/** Returns the numbers of answers to an article by language, and a page of its readers' sentences, newest first. Throws notFound. */
export async function getFeedback(db: Db, orgId: string, articleId: string, { cursor, limit }: ListFeedback) {
  if ((await findArticle(db, orgId, articleId)) === undefined) throw notFound('article');
  const page = await pageOf(db, { cursor, limit, order: 'newest' }, (request) =>
    listComments(db, orgId, articleId, request),
  );
  return { languages: await listCounts(db, orgId, articleId), ...page };
}

/**
 * Permanently removes the sentence of a reader. The answer stays counted, and gets no other sentence. Repeated, it finds
 * nothing left. Returns the number of removed sentences. Throws notFound.
 */
export function redactFeedback(
  db: Db,
  orgId: string,
  by: string,
  { feedbackId, reason }: RedactFeedback,
): Promise<number> {
  return inTransaction(db, async (trx) => {
    const hadComment = await redactComment(trx, orgId, feedbackId);
    if (hadComment === undefined) throw notFound('feedback');
    const affected = hadComment ? 1 : 0;
    await recordRedaction(trx, orgId, { by, reason }, { kind: 'feedback', feedback_id: feedbackId, affected });
    return affected;
  });
}
