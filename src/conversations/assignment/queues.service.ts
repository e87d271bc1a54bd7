import { valueAt } from '../../collections/checked-access.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { hasFastPaths } from '../../db/fast-paths.ts';
import { afterCommit, inTransaction } from '../../db/transaction.ts';
import { updateTurns } from '../../desk/teams/staffing.service.ts';
import { addDueWork, deleteDueWork } from '../../outbox/due-work.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import type { AssignmentProgress } from './contract.ts';
import { hasWaitingSessions, listTeamsWithWaitingSessions, lockAssignment, lockWaitingSessions } from './queries.ts';
import { type Assignment, type AssignmentPool, distribute, teamsWithCapacity } from './rules.ts';
import { getAssignmentPool, reassignAutomatically, wakeAssignment } from './service.ts';

const SESSIONS_PER_BATCH = 50;

/**
 * Assigns a batch for the workflow, as assignWaitingBatch does. Further batches stay due, and so does the start of office
 * hours.
 */
export function assignDueBatch(db: Db, orgId: string): Promise<AssignmentProgress> {
  return inTransaction(db, async (trx) => {
    await deleteDueWork(trx, orgId, 'assignment', { subjectId: orgId });
    const progress = await assignWaitingBatch(trx, orgId);
    if (progress.hasMore || progress.opensInMs !== null)
      await addDueWork(trx, orgId, 'assignment', [{ subjectId: orgId }]);
    return progress;
  });
}

/**
 * Assigns one batch of the org's waiting sessions to available members, longest wait first over all teams. Sessions are
 * locked before the assignment lock, as everywhere else, to avoid deadlocks.
 */
function assignWaitingBatch(db: Db, orgId: string): Promise<AssignmentProgress> {
  return inTransaction(db, async (trx) => {
    const teamIds = await listTeamsWithWaitingSessions(trx, orgId);
    const before = await getAssignmentPool(trx, orgId, teamIds, { onChange: 'wait' });
    const waiting = await lockWaitingSessions(trx, orgId, teamsWithCapacity(before), SESSIONS_PER_BATCH);
    await lockAssignment(trx, orgId);
    const { given, after } = distribute(await getAssignmentPool(trx, orgId, teamIds, { onChange: 'skip' }), waiting);
    await applyAssignments(trx, orgId, waiting, given);
    return {
      assigned: given.length,
      hasMore: await hasWaitingSessions(trx, orgId, teamsWithCapacity(after)),
      opensInMs: msUntilNextOpening(after),
    };
  });
}

async function applyAssignments(
  trx: Trx,
  orgId: string,
  waiting: WaitingSession[],
  assignments: Assignment[],
): Promise<void> {
  const sessions = new Map(waiting.map((session) => [session.id, session]));
  for (const { session_id, team_id, user_id } of assignments) {
    await reassignAutomatically(trx, orgId, valueAt(sessions, session_id), { team_id, assignee_id: user_id });
  }
  await updateTurns(trx, orgId, assignments);
}

type WaitingSession = Awaited<ReturnType<typeof lockWaitingSessions>>[number];

function msUntilNextOpening({ teams }: AssignmentPool): number | null {
  const waits = teams.map(({ opens_in_ms }) => opens_in_ms).filter((ms) => ms !== null);
  return waits.length === 0 ? null : Math.min(...waits);
}

/** The orgs with an immediate assignment of sessions under way, by the pool of a process. */
const assigning = new WeakMap<Db, Set<string>>();

/**
 * Assigns a first batch of the org's waiting sessions as soon as the transaction has committed, one of an org at a
 * time. A crash in between loses it: the workflow assigns the sessions left by it, and all if fast paths are off.
 */
export function assignAfterCommit(trx: Trx, orgId: string): void {
  if (hasFastPaths(trx)) afterCommit(trx, (db) => void assignAtOnce(db, orgId).catch(() => undefined));
}

async function assignAtOnce(db: Db, orgId: string): Promise<void> {
  const orgs = assigning.get(db) ?? new Set();
  assigning.set(db, orgs);
  if (orgs.has(orgId)) return;
  orgs.add(orgId);
  try {
    if (await hasWaitingSessions(db, orgId)) await assignWaitingBatch(db, orgId);
  } finally {
    orgs.delete(orgId);
  }
}

/** Assigns a batch at once and wakes the assignment of queues, if a session is waiting: a member may be available. */
export async function assignIfWaiting(trx: Trx, orgId: string): Promise<void> {
  if (!(await hasWaitingSessions(trx, orgId))) return;
  await wakeAssignment(trx, orgId);
  assignAfterCommit(trx, orgId);
}

/** Like assignIfWaiting, if a member lost a session. */
export const assignIfRelieved: Reaction<'ticket-reassigned'> = async (trx, orgId, events) => {
  const isRelieved = events.some(
    ({ payload: { assignee_id, before } }) => before.assignee_id !== null && before.assignee_id !== assignee_id,
  );
  if (isRelieved) await assignIfWaiting(trx, orgId);
};
