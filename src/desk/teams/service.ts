import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { repeatForSeconds } from '../../db/deletion.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound, refused } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { announce } from '../../outbox/announcing.ts';
import { enqueue, start } from '../../outbox/outbox.ts';
import { lockOfficeHoursShared } from '../office-hours/service.ts';
import { DELETE_TEAM, type DeletedTeam } from './contract.ts';
import {
  clearSomeSessions,
  deleteTeam,
  deleteTeamMember,
  findTeam,
  hasManySessions,
  hideTeam,
  insertTeam,
  insertTeamMember,
  listTeams,
  lockTeam,
  lockTeamShared,
  updateTeam,
} from './queries.ts';
import type { ListTeams, SaveTeam } from './schema.ts';

export { listTeamNames, lockTeamShared } from './queries.ts';

/** Creates a team. Throws invalid for office hours unknown to the org. */
export function createTeam(db: Db, orgId: string, team: SaveTeam) {
  return inTransaction(db, async (trx) => {
    await assertOfficeHours(trx, orgId, team);
    const id = newId();
    await insertTeam(trx, orgId, id, team);
    return getTeam(trx, orgId, id);
  });
}

/** Returns the team with its members. Throws notFound. */
export async function getTeam(db: Db, orgId: string, id: string) {
  const team = await findTeam(db, orgId, id);
  if (team === undefined) throw notFound('team');
  return team;
}

/** Replaces everything except the members. Throws notFound, and the errors of createTeam. */
export function replaceTeam(db: Db, orgId: string, id: string, team: SaveTeam) {
  return inTransaction(db, async (trx) => {
    await assertOfficeHours(trx, orgId, team);
    if (!(await updateTeam(trx, orgId, id, team))) throw notFound('team');
    await announce(trx, orgId, [{ type: 'staffing-changed', subject_id: orgId, payload: {} }]);
    return getTeam(trx, orgId, id);
  });
}

/**
 * Deletes a team at once, and from its sessions at once or, if it has many, afterwards. Its members stay members of the
 * org. Throws notFound.
 */
export const removeTeam = (db: Db, orgId: string, id: string): Promise<void> =>
  inTransaction(db, async (trx) => {
    const team = await lockTeam(trx, orgId, id);
    if (team === undefined || team.deleted_at !== null) throw notFound('team');
    if (!(await hasManySessions(trx, orgId, id))) return deleteClearedTeam(trx, orgId, id);
    await hideTeam(trx, orgId, id);
    const subject = { subjectId: id, summary: `Delete the team ${team.name.slice(0, 150)}` };
    await enqueue(trx, orgId, start(DELETE_TEAM, { orgId, teamId: id }, subject));
  });

/**
 * Clears sessions of a deleted team for some seconds, and deletes the team when none is left. Repeated, it continues.
 * Returns whether all is done.
 */
export const deleteTeamBatch = (db: Db, { orgId, teamId }: DeletedTeam, isStopped: () => boolean): Promise<boolean> =>
  repeatForSeconds(isStopped, () =>
    inTransaction(db, async (trx) => {
      const team = await lockTeam(trx, orgId, teamId);
      if (team === undefined || team.deleted_at === null) return true;
      if ((await clearSomeSessions(trx, orgId, teamId)) > 0) return false;
      await deleteClearedTeam(trx, orgId, teamId);
      return true;
    }),
  );

/** Deletes a team that has few sessions left, or none: other SLA policies may apply to those it had. */
async function deleteClearedTeam(trx: Trx, orgId: string, id: string): Promise<void> {
  await deleteTeam(trx, orgId, id);
  await announce(trx, orgId, [
    { type: 'sla-assignments-changed', subject_id: orgId, payload: { after: null, by: 'teams' } },
  ]);
}

/**
 * Adds a member to the team, unless already in it. Throws notFound for the team, and invalid for a user outside the
 * org.
 */
export function addTeamMember(db: Db, orgId: string, teamId: string, userId: number) {
  return inTransaction(db, async (trx) => {
    if (!(await lockTeamShared(trx, orgId, teamId))) throw notFound('team');
    if (!(await insertTeamMember(trx, orgId, teamId, userId))) {
      throw refused('userId', 'must be the id of a member of the org: GET /members lists them');
    }
    await announce(trx, orgId, [{ type: 'staffing-changed', subject_id: orgId, payload: {} }]);
    return getTeam(trx, orgId, teamId);
  });
}

/** Removes a member from a team. Throws notFound for an unknown team, or a user outside the team. */
export async function removeTeamMember(db: Db, orgId: string, teamId: string, userId: number): Promise<void> {
  if (!(await deleteTeamMember(db, orgId, teamId, userId))) throw notFound('member of the team');
}

/** Returns a page of the org's teams with their members, oldest first. */
export const pageOfTeams = (db: Db, orgId: string, query: ListTeams) =>
  pageOf(db, query, (page) => listTeams(db, orgId, page));

/** Throws invalid for office hours unknown to the org. Existing ones cannot be deleted until the transaction ends. */
async function assertOfficeHours(trx: Trx, orgId: string, { support_office_hours_id: id }: SaveTeam): Promise<void> {
  if (id === null || (await lockOfficeHoursShared(trx, orgId, id))) return;
  throw refused('support_office_hours_id', 'must be the id of office hours of the org: GET /office-hours lists them');
}
