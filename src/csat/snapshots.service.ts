import { z } from 'zod';
import type { Db } from '../db/connect.ts';
import { SessionChannel } from '../schemas/parts.ts';
import { listScoresById } from './queries.ts';
import { CsatScore } from './schema.ts';

/** Returns scores by id, each in the format of the API. */
export async function getScoreSnapshots(
  db: Db,
  orgId: string,
  ids: string[],
): Promise<Map<string, z.input<typeof CsatScore>>> {
  const rows = ids.length === 0 ? [] : await listScoresById(db, orgId, ids);
  return new Map(
    rows.map((row) => [row.id, z.encode(CsatScore, { ...row, channel: SessionChannel.parse(row.channel) })]),
  );
}
