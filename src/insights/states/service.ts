import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { lockTeamShared } from '../../desk/teams/service.ts';
import { conflict, notFound, refused } from '../../errors.ts';
import { readSettings } from '../../orgs/service.ts';
import { announce } from '../../outbox/announcing.ts';
import { nameByHand } from '../naming/central.service.ts';
import { findRootForUpdate } from '../queries.ts';
import { getInsight } from '../service.ts';
import { resolveNow, updateInsight } from './queries.ts';
import type { UpdateInsight } from './schema.ts';

type LockedInsight = NonNullable<Awaited<ReturnType<typeof findRootForUpdate>>>;

/** Changes an insight's root, and returns it. Throws notFound. */
function change(db: Db, orgId: string, id: string, work: (trx: Trx, insight: LockedInsight) => Promise<void>) {
  return inTransaction(db, async (trx) => {
    const insight = await findRootForUpdate(trx, orgId, id);
    if (insight === undefined) throw notFound('insight');
    await work(trx, insight);
    return getInsight(trx, orgId, insight.id);
  });
}

/** Assigns an insight to a team, or to nobody. Throws notFound, and invalid for a team unknown to the org. */
export const assignInsight = (db: Db, orgId: string, id: string, teamId: string | null) =>
  change(db, orgId, id, async (trx, insight) => {
    if (teamId !== null && !(await lockTeamShared(trx, orgId, teamId)))
      throw refused('groupId', 'must be the id of a team: GET /teams lists them');
    await updateInsight(trx, orgId, insight.id, { team_id: teamId });
  });

/** Resolves an insight. A resolved one stays as it is. Throws notFound, and conflict for an archived one. */
export const resolveInsight = (db: Db, orgId: string, id: string, keyId: string) =>
  change(db, orgId, id, async (trx, { id: rootId, status }) => {
    if (status === 'resolved') return;
    if (status === 'archived') throw conflict('The insight is archived: reopen it first');
    await resolveNow(trx, orgId, rootId, keyId);
    await announce(trx, orgId, [{ type: 'insight-resolved', subject_id: rootId, payload: {} }]);
  });

const NOT_RESOLVED = { resolved_at: null, resolved_by: null, reopened_because: null };

/** Archives an insight: it counts on, and nothing reopens it. Throws notFound. */
export const archiveInsight = (db: Db, orgId: string, id: string, reason: string) =>
  change(db, orgId, id, (trx, insight) =>
    updateInsight(trx, orgId, insight.id, { ...NOT_RESOLVED, status: 'archived', archived_reason: reason }),
  );

/** Reopens a resolved or archived insight. Throws notFound. */
export const reopenInsight = (db: Db, orgId: string, id: string) =>
  change(db, orgId, id, async (trx, { id: rootId, status }) => {
    if (status === 'unresolved') return;
    await updateInsight(trx, orgId, rootId, { ...NOT_RESOLVED, status: 'unresolved', archived_reason: null });
  });

/**
 * Sets the name and the category of an insight, or the lack of one, by hand. If an insight is sent back as read, only
 * the differences are set by hand. Throws notFound, and invalid for a category unknown to the org.
 */
export const changeInsight = (
  db: Db,
  orgId: string,
  id: string,
  { content, category }: UpdateInsight,
  { isSentBack = false } = {},
) =>
  change(db, orgId, id, async (trx, insight) => {
    const isGiven = <Value>(value: Value | undefined, stored: Value): value is Value =>
      value !== undefined && !(isSentBack && value === stored);
    if (isGiven(content, insight.content)) await nameByHand(trx, orgId, insight.id, content);
    if (!isGiven(category, insight.category)) return;
    if (category !== null) await assertCategory(trx, orgId, category);
    await updateInsight(trx, orgId, insight.id, { category, category_by: 'person' });
  });

async function assertCategory(trx: Trx, orgId: string, category: string): Promise<void> {
  const { insight_categories } = await readSettings(trx, orgId);
  if (insight_categories?.includes(category)) return;
  throw refused('category', 'must be one of the org’s categories: PUT /insights/categories sets them');
}
