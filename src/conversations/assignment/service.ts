import type { Trx } from '../../db/connect.ts';
import { isAutoAssigning, isInTeam, lockStaffing, updateTurns } from '../../desk/teams/staffing.service.ts';
import { newId } from '../../ids.ts';
import { addNotifications } from '../../notifications/service.ts';
import { readSettings } from '../../orgs/service.ts';
import { addDueWork } from '../../outbox/due-work.ts';
import { type Command, enqueue, signalWithStart } from '../../outbox/outbox.ts';
import { runAsActor } from '../../processes/current-work.ts';
import { SYSTEM } from '../../schemas/actor.ts';
import { WAKE } from '../../temporal/contract.ts';
import { announceWithState } from '../announcements.service.ts';
import { type ChangedSession, changeSession, type SessionEvent } from '../change-session.service.ts';
import type { LockedSession } from '../queries.ts';
import { ASSIGN_WAITING_SESSIONS } from './contract.ts';
import {
  countOpenSessions,
  hasSessionWaitingForMember,
  hasWaitingSessions,
  lockAssignment,
  tryLockAssignment,
  updateQueuePosition,
} from './queries.ts';
import { type AssignmentPool, assignsAutomatically, canBeAssigned, distribute } from './rules.ts';

export { updateQueuePosition } from './queries.ts';
export { listResponsible } from './responsible.queries.ts';

type AssignableSession = ChangedSession & Pick<LockedSession, 'assignee_id' | 'team_id'>;

/**
 * Assigns a session, records it in the history and announces it. A new assignee hears of it, unless `by` is the same
 * member. Does nothing if the assignee and team stay the same.
 */
export async function reassign(
  trx: Trx,
  orgId: string,
  session: AssignableSession,
  { by, ...to }: { assignee_id: number | null; team_id: string | null; by?: number | undefined },
): Promise<void> {
  const { assignee_id, team_id } = session;
  if (to.assignee_id === assignee_id && to.team_id === team_id) return;
  const joined: SessionEvent[] =
    to.assignee_id === null || to.assignee_id === assignee_id
      ? []
      : [{ id: newId(), type: 'human_agent_joined', data: { assignee_id: to.assignee_id } }];
  await changeSession(trx, orgId, session, {
    ...to,
    ...(to.assignee_id === null ? {} : { ai_state: 'paused' as const }),
    events: [{ id: newId(), type: 'assigned', data: to }, ...joined],
  });
  await announceWithState(trx, orgId, [
    { type: 'ticket-reassigned', subject_id: session.id, payload: { ...to, before: { assignee_id, team_id } } },
  ]);
  if (joined.length > 0 && to.assignee_id !== null && to.assignee_id !== by)
    await addNotifications(trx, orgId, [to.assignee_id], { kind: 'assigned', sessionId: session.id });
}

/** Assigns a session as `reassign` does, whoever has caused it. */
export const reassignAutomatically: typeof reassign = (trx, orgId, session, to) =>
  runAsActor(SYSTEM, () => reassign(trx, orgId, session, to));

/**
 * Returns the assignee of an open session in a team: the current one if in the team, otherwise the member picked by the
 * team. Without automatic assignment, the current assignee stays. Returns null if nobody is available, or if too many
 * sessions arrive at once: the session then waits in the queue, so its position must be set before.
 */
export async function findAssignee(
  trx: Trx,
  orgId: string,
  session: AssignableSession,
  teamId: string,
): Promise<number | null> {
  const { assignee_id } = session;
  const isKept =
    assignee_id !== null && (teamId === session.team_id || (await isInTeam(trx, orgId, teamId, assignee_id)));
  if (isKept) return assignee_id;
  if (!(await isAutoAssigning(trx, orgId, teamId))) return assignee_id;
  const isLast = await hasWaitingSessions(trx, orgId, [teamId], session.id);
  if (!isLast && (await tryLockAssignment(trx, orgId))) {
    const desk = await getPoolForSession(trx, orgId, teamId, session.id);
    return pickAssignee(trx, orgId, desk, { id: session.id, team_id: teamId });
  }
  await wakeAssignment(trx, orgId);
  return null;
}

/**
 * Returns the member picked by the team. Null if nobody is available, or if another session already waits for the same
 * member. The caller must have locked the assignment.
 */
async function pickAssignee(
  trx: Trx,
  orgId: string,
  desk: AssignmentPool,
  session: { id: string; team_id: string },
): Promise<number | null> {
  const [given] = distribute(desk, [session]).given;
  if (given !== undefined && !(await hasSessionWaitingForMember(trx, orgId, given.user_id, session.id))) {
    await updateTurns(trx, orgId, [given]);
    return given.user_id;
  }
  await wakeAssignment(trx, orgId);
  return null;
}

/** Assigns an unassigned open session to the member picked by its team, if any. */
export async function assignInTeam(trx: Trx, orgId: string, session: AssignableSession): Promise<void> {
  const { team_id } = session;
  if (team_id === null || session.assignee_id !== null) return;
  await updateQueuePosition(trx, orgId, session.id, 'kept');
  const assignee_id = await findAssignee(trx, orgId, session, team_id);
  await reassignAutomatically(trx, orgId, session, { team_id, assignee_id });
}

/**
 * Reviews the assignee of a reopened session. An assignee working in its team now, with capacity for one more, stays.
 * Otherwise the session returns to the team. Without a team, or with a team not accepting sessions, it keeps its
 * assignee. An unassigned session without a queue stays so: it belongs to the AI, or nobody is to be picked.
 */
export async function reviewAssignee(
  trx: Trx,
  orgId: string,
  session: AssignableSession & Pick<LockedSession, 'handoff' | 'queued_at'>,
): Promise<void> {
  const { team_id, assignee_id, handoff, queued_at } = session;
  if (team_id === null || (assignee_id === null && handoff === null && queued_at === null)) return;
  await lockAssignment(trx, orgId);
  const desk = await getPoolForSession(trx, orgId, team_id, session.id);
  const [team] = desk.teams;
  if (team === undefined || (assignee_id !== null && canBeAssigned(desk, team, assignee_id))) return;
  await updateQueuePosition(trx, orgId, session.id, 'last');
  const next = assignsAutomatically(team) ? await pickAssignee(trx, orgId, desk, { id: session.id, team_id }) : null;
  await reassignAutomatically(trx, orgId, session, { team_id, assignee_id: next });
}

/** Returns the assignment pool of a team for a session. The session itself is not counted. */
const getPoolForSession = (trx: Trx, orgId: string, teamId: string, sessionId: string) =>
  getAssignmentPool(trx, orgId, [teamId], { onChange: 'skip', except: sessionId });

/** Returns the available members of the teams, the numbers of their open sessions, and their capacity. */
export async function getAssignmentPool(
  trx: Trx,
  orgId: string,
  teamIds: string[],
  { onChange, except = null }: { onChange: 'wait' | 'skip'; except?: string | null },
): Promise<AssignmentPool> {
  const teams = await lockStaffing(trx, orgId, teamIds, onChange);
  const { member_capacity } = await readSettings(trx, orgId);
  const userIds = [...new Set(teams.flatMap(({ members }) => members.map(({ user_id }) => user_id)))];
  return { teams, capacity: member_capacity, open: await countOpenSessions(trx, orgId, userIds, except) };
}

/** Returns the command to assign the sessions in the org's queues. */
export const assignWaiting = (orgId: string): Command =>
  signalWithStart(ASSIGN_WAITING_SESSIONS, { orgId }, WAKE, {
    subjectId: orgId,
    summary: 'Assign waiting sessions to available members',
  });

/** Wakes the assignment of the org's queues once the transaction has committed. It is due until it has been done. */
export async function wakeAssignment(trx: Trx, orgId: string): Promise<void> {
  await addDueWork(trx, orgId, 'assignment', [{ subjectId: orgId }]);
  await enqueue(trx, orgId, assignWaiting(orgId));
}
