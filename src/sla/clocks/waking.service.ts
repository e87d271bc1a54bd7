import { elementAt } from '../../collections/checked-access.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { NIL_UUID } from '../../ids.ts';
import { announce } from '../../outbox/announcing.ts';
import type { ClaimedEvent } from '../../outbox/claim.ts';
import { addDueWork, listDueWork } from '../../outbox/due-work.ts';
import { type Command, enqueue, signalWithStart } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { WAKE } from '../../temporal/contract.ts';
import { type SlaRef, WATCH_SLA } from '../contract.ts';
import { listPoliciesWithHours } from '../policies/shared.queries.ts';
import { listOpenSessionsUnder, listOverdueSlas, listSessionsUnderPolicy } from './waking.queries.ts';

const SESSIONS_PER_BATCH = 500;

/** Returns the command to evaluate the clocks of a session. */
export const wakeSla = (ref: SlaRef): Command =>
  signalWithStart(WATCH_SLA, ref, WAKE, { subjectId: ref.sessionId, summary: 'Evaluate the SLA clocks of a session' });

/**
 * Returns sessions of all orgs whose clocks are to be evaluated because something happened, and open ones whose clocks
 * should have been evaluated a minute ago.
 */
export async function listUnevaluatedSlas(db: Db, after: SlaRef | undefined, limit: number): Promise<SlaRef[]> {
  const due = after && { orgId: after.orgId, subjectId: after.sessionId, number: 0 };
  const requested = await listRequested(db, due, limit);
  const overdue = await listOverdueSlas(db, after, limit);
  const all = [...requested.map(({ orgId, subjectId }) => ({ orgId, sessionId: subjectId })), ...overdue];
  const byKey = new Map(all.map((ref) => [`${ref.orgId} ${ref.sessionId}`, ref]));
  return [...byKey]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([, ref]) => ref);
}
const listRequested = listDueWork('sla');

/** Schedules an evaluation of the sessions' clocks once the transaction has committed. It is due until it has begun. */
export async function wakeSlaClocks(trx: Trx, orgId: string, sessionIds: string[]): Promise<void> {
  const subjects = sessionIds.map((subjectId) => ({ subjectId }));
  await addDueWork(trx, orgId, 'sla', subjects);
  await enqueue(trx, orgId, ...sessionIds.map((sessionId) => wakeSla({ orgId, sessionId })));
}

/** Re-evaluates the clocks of sessions in which something happened. */
export const wakeClocksOfActiveSessions: Reaction<'session-activity'> = async (trx, orgId, events) => {
  const sessionIds = [...new Set(events.map(({ subject_id }) => subject_id))];
  await wakeSlaClocks(trx, orgId, await listSessionsUnderPolicy(trx, orgId, sessionIds));
};

/** Schedules an evaluation of all open sessions under a policy. */
export const announceSlaPolicyChanged = (trx: Trx, orgId: string, policyId: string): Promise<void> =>
  announce(trx, orgId, [{ type: 'sla-policy-changed', subject_id: policyId, payload: { after: null } }]);

/** Re-evaluates all open sessions whose policies count by office hours that changed. */
export const announceChangesOfOfficeHours: Reaction<'office-hours-changed'> = async (trx, orgId, events) => {
  const officeHoursIds = [...new Set(events.map(({ subject_id }) => subject_id))];
  const policies = await listPoliciesWithHours(trx, orgId, officeHoursIds);
  await announce(
    trx,
    orgId,
    policies.map(({ id }) => ({ type: 'sla-policy-changed', subject_id: id, payload: { after: null } })),
  );
};

/** Signals a batch of the sessions under each changed policy. Announces another event if more sessions are left. */
export const wakeClocksOfChangedPolicies: Reaction<'sla-policy-changed'> = async (trx, orgId, events) => {
  for (const [policyId, after] of policiesIn(events)) {
    const sessionIds = await listOpenSessionsUnder(trx, orgId, policyId, { after, limit: SESSIONS_PER_BATCH });
    await wakeSlaClocks(trx, orgId, sessionIds);
    if (sessionIds.length < SESSIONS_PER_BATCH) continue;
    const payload = { after: elementAt(sessionIds, -1) };
    await announce(trx, orgId, [{ type: 'sla-policy-changed', subject_id: policyId, payload }]);
  }
};

/** Returns each policy once, with its lowest start position. */
function policiesIn(events: ClaimedEvent<'sla-policy-changed'>[]): Map<string, string> {
  const positions = new Map<string, string>();
  for (const { subject_id, payload } of events) {
    const after = payload.after ?? NIL_UUID;
    const known = positions.get(subject_id);
    if (known === undefined || after < known) positions.set(subject_id, after);
  }
  return positions;
}
