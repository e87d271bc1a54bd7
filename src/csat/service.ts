import { announceWithState } from '../conversations/announcements.service.ts';
import { lockSession } from '../conversations/sessions/service.ts';
import { recordScore } from '../conversations/sessions/visitors.service.ts';
import type { Db, Trx } from '../db/connect.ts';
import { pageOf } from '../db/cursor.ts';
import { inTransaction } from '../db/transaction.ts';
import { conflict, notFound } from '../errors.ts';
import { newId } from '../ids.ts';
import { reportRangeOf } from '../reports/range.ts';
import type { Actor } from '../schemas/actor.ts';
import { findLatestScore, findScoreOf, insertScore, listScores, updateScore } from './queries.ts';
import type { ListScores, SubmitScore } from './schema.ts';

export { findScoreOf } from './queries.ts';

/**
 * Scores the latest resolution of a session, once: the same score again changes nothing. A new score gets the given id,
 * which must be free, and so does its event. Throws notFound. Throws conflict if the session was never resolved or the
 * resolution has another score.
 */
export function submitScore(db: Db, orgId: string, { session_id, score, comment }: SubmitScore, id = newId()) {
  return inTransaction(db, async (trx) => {
    const { resolutions: resolution } = await lockSession(trx, orgId, session_id);
    if (resolution === 0)
      throw conflict('session_id: the session is not resolved yet, and only a resolution can be scored');
    const said = comment ? comment : null;
    const given = { id, session_id, resolution, score, comment: said };
    if (await addScore(trx, orgId, given)) return getScore(trx, orgId, session_id);
    const existing = await getScore(trx, orgId, session_id);
    if (existing.score === score && existing.comment === said) return existing;
    throw conflict('session_id: this resolution of the session has a score already');
  });
}

/** A score with the words about it. */
export interface GivenScore {
  id: string;
  session_id: string;
  resolution: number;
  score: number;
  comment: string | null;
  /** Who gave it. Absent: whoever does the current work. */
  actor?: Actor;
}

/** Adds the score of a resolution to a locked session. Returns false, and changes nothing, if it has one. */
async function addScore(trx: Trx, orgId: string, given: GivenScore): Promise<boolean> {
  const { id, session_id, resolution, score } = given;
  const isNew = await insertScore(trx, { org_id: orgId, id, session_id, resolution, score });
  if (isNew) await announceScore(trx, orgId, given);
  return isNew;
}

/** Sets the score of a resolution of a locked session, also in place of another one. The same score again changes nothing. */
export async function setScore(trx: Trx, orgId: string, given: GivenScore): Promise<void> {
  if (await addScore(trx, orgId, given)) return;
  const { id, score, comment } = given;
  const before = await findScoreOf(trx, orgId, given);
  if (before?.score === score && before.comment === comment) return;
  await updateScore(trx, orgId, given, { id, score });
  await announceScore(trx, orgId, given);
}

async function announceScore(trx: Trx, orgId: string, { session_id, ...given }: GivenScore): Promise<void> {
  await recordScore(trx, orgId, session_id, given);
  const payload = { score_id: given.id, score: given.score };
  await announceWithState(trx, orgId, [{ type: 'csat-score-submit', subject_id: session_id, payload }]);
}

/** Returns the latest score of a session. Throws notFound. */
export async function getScore(db: Db, orgId: string, sessionId: string) {
  const score = await findLatestScore(db, orgId, sessionId);
  if (score === undefined) throw notFound('score');
  return score;
}

const SCORES_PER_READ = 500;

/** Returns a page of scores. Throws invalid for a range that ends before it begins, or is too long. */
export function pageOfScores(db: Db, orgId: string, query: ListScores) {
  const filter = { ...query, ...reportRangeOf(query) };
  return pageOf(db, query, (page) => listScores(db, orgId, filter, page));
}

/** Yields all scores from the query's cursor on, a page at a time. Throws the same errors. */
export async function* allScores(db: Db, orgId: string, query: ListScores) {
  const { from, to } = reportRangeOf(query);
  const fixed = { ...query, from: from.toISOString(), to: to.toISOString(), limit: SCORES_PER_READ };
  for (let cursor = query.cursor, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const { items, next } = await pageOfScores(db, orgId, { ...fixed, cursor });
    yield* items;
    cursor = next ?? undefined;
  }
}
