import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../db/cursor.ts';
import type { SessionChannel } from '../schemas/parts.ts';

/** Inserts the score. Returns false if the resolution has one. */
export async function insertScore(
  trx: Trx,
  score: { org_id: string; id: string; session_id: string; resolution: number; score: number },
): Promise<boolean> {
  const inserted = await trx
    .insertInto('csat_scores')
    .values(score)
    .onConflict((oc) => oc.columns(['org_id', 'session_id', 'resolution']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Replaces the score of a resolution. It then has the id of its last event in the history. */
export const updateScore = (
  trx: Trx,
  orgId: string,
  { session_id, resolution }: { session_id: string; resolution: number },
  change: { id: string; score: number },
) =>
  trx
    .updateTable('csat_scores')
    .set(change)
    .where('org_id', '=', orgId)
    .where('session_id', '=', session_id)
    .where('resolution', '=', resolution)
    .execute();

const selectScores = (db: Db, orgId: string) =>
  db
    .selectFrom('csat_scores as given')
    .innerJoin('sessions as session', (join) =>
      join.onRef('session.org_id', '=', 'given.org_id').onRef('session.id', '=', 'given.session_id'),
    )
    .innerJoin('session_events as event', (join) =>
      join.onRef('event.org_id', '=', 'given.org_id').onRef('event.id', '=', 'given.id'),
    )
    .select(['given.id', 'given.session_id', 'given.score', 'event.content as comment', 'session.channel'])
    .select('given.created_at')
    .where('given.org_id', '=', orgId);

/** Lists scores by id. */
export const listScoresById = (db: Db, orgId: string, ids: string[]) =>
  selectScores(db, orgId).where('given.id', '=', sql<string>`any(${ids}::uuid[])`).execute();

/** Returns the score of the session's latest scored resolution. */
export const findLatestScore = (db: Db, orgId: string, sessionId: string) =>
  selectScores(db, orgId)
    .where('given.session_id', '=', sessionId)
    .orderBy('given.resolution', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Returns the score of a resolution. */
export const findScoreOf = (
  db: Db,
  orgId: string,
  { session_id, resolution }: { session_id: string; resolution: number },
) =>
  selectScores(db, orgId)
    .where('given.session_id', '=', session_id)
    .where('given.resolution', '=', resolution)
    .executeTakeFirst();

/** Lists a page of the scores given in a range, oldest first. */
export const listScores = (
  db: Db,
  orgId: string,
  {
    from,
    to,
    channel,
    team_id,
  }: { from: Date; to: Date; channel?: SessionChannel | undefined; team_id?: string | undefined },
  page: PageRequest,
) =>
  selectScores(db, orgId)
    .where('given.created_at', '>=', from)
    .where('given.created_at', '<', to)
    .$call((query) => (channel === undefined ? query : query.where('session.channel', '=', channel)))
    .$call((query) => (team_id === undefined ? query : query.where('session.team_id', '=', team_id)))
    .$call(orderedByCreation(page, 'given'))
    .execute();
