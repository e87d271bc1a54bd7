import type { Db } from '../db/connect.ts';
import { announce } from '../outbox/events.ts';
import { updateSession } from './sessions.queries.ts';
import type { Handoff } from './sessions.table.ts';

/** Writes down that people have a session from now on, and tells of it. Why, whoever is told reads in the session. */
export async function handOver(trx: Db, orgId: string, id: string, reason: string | null): Promise<Handoff> {
  const handoff: Handoff = { summary: null, sentiment: null, reason, at: new Date().toISOString(), state: 'done' };
  await updateSession(trx, orgId, id, { handoff: JSON.stringify(handoff), ai_closure_type: 'handed_off' });
  await announce(trx, orgId, 'pre-ticket-handoff', [{ subject_id: id, payload: {} }]);
  await announce(trx, orgId, 'ticket-handoff', [{ subject_id: id, payload: {} }]);
  return handoff;
}
