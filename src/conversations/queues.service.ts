import type { Db, Trx } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { updateTurns } from '../desk/staffing.service.ts';
import type { Reaction } from '../outbox/relay.ts';
import type { AssignmentProgress } from './assignment.contract.ts';
import { hasWaiting, listTeamsWaitedFor, lockAssignment, lockWaitingSessions } from './assignment.queries.ts';
import { type Desk, distribute, type Given, teamsWithRoom } from './assignment.rules.ts';
import { lookAtQueues, readDesk, reassign } from './assignment.service.ts';

const BATCH = 50;

/**
 * Gives sessions of the org that wait to members who can take them, whoever waits longest first over all teams, one batch. Sessions are
 * locked before the lock that all who give sessions queue on, as everywhere else: none waits for another in a circle.
 */
export function assignWaiting(db: Db, orgId: string): Promise<AssignmentProgress> {
  return inTransaction(db, async (trx) => {
    const teamIds = await listTeamsWaitedFor(trx, orgId);
    const before = await readDesk(trx, orgId, teamIds, { onChange: 'wait' });
    const waiting = await lockWaitingSessions(trx, orgId, teamsWithRoom(before), BATCH);
    await lockAssignment(trx, orgId);
    const { given, after } = distribute(await readDesk(trx, orgId, teamIds, { onChange: 'skip' }), waiting);
    await give(trx, orgId, waiting, given);
    return {
      assigned: given.length,
      hasMore: await hasWaiting(trx, orgId, teamsWithRoom(after)),
      opensInMs: soonestOpening(after),
    };
  });
}

async function give(trx: Trx, orgId: string, waiting: Waiting[], given: Given[]): Promise<void> {
  const sessions = new Map(waiting.map((session) => [session.id, session]));
  for (const { session_id, team_id, user_id } of given) {
    const session = sessions.get(session_id) as Waiting;
    await reassign(trx, orgId, session, { team_id, assignee_id: user_id });
  }
  await updateTurns(trx, orgId, given);
}

type Waiting = Awaited<ReturnType<typeof lockWaitingSessions>>[number];

function soonestOpening({ teams }: Desk): number | null {
  const waits = teams.map(({ opens_in_ms }) => opens_in_ms).filter((ms) => ms !== null);
  return waits.length === 0 ? null : Math.min(...waits);
}

/** Has the queues be looked at where a session waits: a member may be free for it. */
export async function lookForFreeMembers(trx: Trx, orgId: string): Promise<void> {
  if (await hasWaiting(trx, orgId)) await lookAtQueues(trx, orgId);
}

/** The same where somebody lost a session to another, or to nobody. */
export const lookForRelievedMembers: Reaction<'ticket-reassigned'> = async (trx, orgId, events) => {
  const isRelieved = events.some(
    ({ payload: { assignee_id, before } }) => before.assignee_id !== null && before.assignee_id !== assignee_id,
  );
  if (isRelieved) await lookForFreeMembers(trx, orgId);
};
