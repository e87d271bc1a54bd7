import type { Db } from '../db/connect.ts';
import { notFound } from '../errors.ts';
import { findInsight } from './queries.ts';

/** Returns an insight's root: the insight it is merged into, or itself. Throws notFound. */
export async function getInsight(db: Db, orgId: string, id: string) {
  const insight = await findInsight(db, orgId, id);
  if (insight === undefined) throw notFound('insight');
  return insight;
}
