import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { announce } from '../../outbox/announcing.ts';
import { setEventDepth } from '../../outbox/causation.ts';
import { InactiveConfiguration } from './configuration.schema.ts';
import type { InactivityProgress } from './contract.ts';
import {
  type InactiveSession,
  listInactiveSessions,
  listTriggers,
  lockInactivityCursor,
  updateInactivityCursor,
} from './queries.ts';

const SESSIONS_PER_BATCH = 500;
const MINUTE_MS = 60_000;

/**
 * Announces inactive sessions to each active workflow with an inactivity trigger: at most a batch of sessions since its
 * last announcement. Returns the delay until the next check. A new message and a reopening restart the inactivity of a
 * session, so no session becomes inactive before then. One that a run made active last continues the chain of this run.
 */
export async function announceInactiveSessions(db: Db, orgId: string): Promise<InactivityProgress> {
  const progress: InactivityProgress = { announced: 0, hasMore: false, nextInMs: null };
  for (const { id, configuration } of await listTriggers(db, orgId, 'ticket-inactive')) {
    const asked = InactiveConfiguration.safeParse(configuration).data;
    if (asked === undefined) continue;
    const { due, nextInMs } = await announceForWorkflow(db, orgId, id, asked.minutes);
    progress.announced += due;
    progress.hasMore ||= due === SESSIONS_PER_BATCH;
    progress.nextInMs = Math.min(progress.nextInMs ?? nextInMs, nextInMs);
  }
  return progress;
}

function announceForWorkflow(db: Db, orgId: string, automationId: string, minutes: number) {
  return inTransaction(db, async (trx) => {
    const cursor = await lockInactivityCursor(trx, orgId, automationId, minutes);
    const silences = await listInactiveSessions(trx, orgId, cursor, { minutes, limit: SESSIONS_PER_BATCH });
    const due = silences.filter(({ due_in_ms }) => due_in_ms <= 0);
    const next = silences.find(({ due_in_ms }) => due_in_ms > 0);
    for (const [depth, sessions] of Map.groupBy(due, ({ depth }) => depth)) {
      await setEventDepth(trx, depth);
      await announce(
        trx,
        orgId,
        sessions.map(({ id, since }) => ({
          type: 'ticket-inactive',
          subject_id: id,
          payload: { workflow_id: automationId, inactive_minutes: minutes, since: since.toISOString() },
        })),
      );
    }
    const last = due.at(-1);
    if (last !== undefined) await updateInactivityCursor(trx, orgId, automationId, cursorOf(last));
    return { due: due.length, nextInMs: Math.ceil(next?.due_in_ms ?? minutes * MINUTE_MS) };
  });
}

const cursorOf = ({ id, since }: InactiveSession) => ({ silent_since: since, session_id: id });
