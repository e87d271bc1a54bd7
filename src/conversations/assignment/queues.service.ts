import { valueAt } from '../../checked-access.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { afterCommit, inTransaction } from '../../db/transaction.ts';
import { updateTurns } from '../../desk/teams/staffing.service.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import type { AssignmentProgress } from './contract.ts';
import { hasWaitingSessions, listTeamsWithWaitingSessions, lockAssignment, lockWaitingSessions } from './queries.ts';
import { type Assignment, type AssignmentPool, distribute, teamsWithCapacity } from './rules.ts';
import { getAssignmentPool, reassign, wakeAssignment } from './service.ts';

const SESSIONS_PER_BATCH = 50;

/**
 * Assigns one batch of the org's waiting sessions to available members, longest wait first over all teams. Sessions are
 * locked before the assignment lock, as everywhere else, to avoid deadlocks.
 */
export function assignWaitingBatch(db: Db, orgId: string): Promise<AssignmentProgress> {
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
  given: Assignment[],
): Promise<void> {
  const sessions = new Map(waiting.map((session) => [session.id, session]));
  for (const { session_id, team_id, user_id } of given) {
    await reassign(trx, orgId, valueAt(sessions, session_id), { team_id, assignee_id: user_id });
  }
  await updateTurns(trx, orgId, given);
}

type WaitingSession = Awaited<ReturnType<typeof lockWaitingSessions>>[number];

function msUntilNextOpening({ teams }: AssignmentPool): number | null {
  const waits = teams.map(({ opens_in_ms }) => opens_in_ms).filter((ms) => ms !== null);
  return waits.length === 0 ? null : Math.min(...waits);
}

/** Reactions to events after which a member may be available for a waiting session. */
export interface QueueReactions {
  assignIfWaiting: Reaction<'staffing-changed'>;
  /** Acts only if a member lost a session. */
  assignIfRelieved: Reaction<'ticket-reassigned'>;
}

/**
 * Creates the reactions that assign waiting sessions. A first batch is assigned as soon as the transaction has committed,
 * one of an org at a time. The workflow assigns what that leaves, also if the process ends before it.
 */
export function createQueueReactions(): QueueReactions {
  const assigning = new Set<string>();

  const assignAtOnce = async (db: Db, orgId: string) => {
    if (assigning.has(orgId)) return;
    assigning.add(orgId);
    await assignWaitingBatch(db, orgId).catch(() => undefined);
    assigning.delete(orgId);
  };

  const assignIfWaiting = async (trx: Trx, orgId: string) => {
    if (!(await hasWaitingSessions(trx, orgId))) return;
    await wakeAssignment(trx, orgId);
    afterCommit(trx, (db) => void assignAtOnce(db, orgId));
  };

  return {
    assignIfWaiting,
    async assignIfRelieved(trx, orgId, events) {
      const isRelieved = events.some(
        ({ payload: { assignee_id, before } }) => before.assignee_id !== null && before.assignee_id !== assignee_id,
      );
      if (isRelieved) await assignIfWaiting(trx, orgId);
    },
  };
}
