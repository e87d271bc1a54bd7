import { elementAt, valueAt } from '../../collections/checked-access.ts';
import { compileFilter } from '../../contacts/filters/service.ts';
import { updateHasSla } from '../../conversations/sessions/service.ts';
import type { Trx } from '../../db/connect.ts';
import { tagKeyOf } from '../../desk/tags/rules.ts';
import { NIL_UUID } from '../../ids.ts';
import { announce } from '../../outbox/announcing.ts';
import type { SlaCondition } from '../../outbox/events.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { wakeSlaClocks } from '../clocks/waking.service.ts';
import type { SlaAssignment } from '../policies/schema.ts';
import { listAssignments } from '../policies/shared.queries.ts';
import {
  deleteSessionPolicies,
  listMatchingSessions,
  listOpenSessions,
  listOpenSessionsBeside,
  listOpenSessionsOfContacts,
  listSessionsWithoutContact,
  lockSessions,
  mayChangePolicies,
  upsertSessionPolicies,
} from './queries.ts';

const SESSIONS_PER_BATCH = 500;

/** Schedules a new assignment of policies to all open sessions of the org. */
export const announceSlaAssignmentsChanged = (trx: Trx, orgId: string): Promise<void> =>
  announce(trx, orgId, [{ type: 'sla-assignments-changed', subject_id: orgId, payload: { after: null } }]);

/** Assigns the currently matching policy to each session. */
export const assignPolicies: Reaction<
  'ticket-created' | 'ticket-reopened' | 'ticket-reassigned' | 'ticket-tag-added'
> = (trx, orgId, events) => evaluateSessions(trx, orgId, timesOf(events));

/**
 * Assigns policies to sessions whose data, tags or contact have changed, and to the other open ones of their contacts if
 * policies ask for contacts: a contact is also chosen by what its sessions have.
 */
export const assignPoliciesByChange: Reaction<'sla-session-changed'> = async (trx, orgId, events) => {
  const changed = timesOf(events);
  const others = (await asksForContacts(trx, orgId))
    ? await listOpenSessionsBeside(trx, orgId, [...changed.keys()])
    : [];
  const beside = others.map(({ id, beside_id }) => ({ subject_id: id, created_at: valueAt(changed, beside_id) }));
  await evaluateSessions(trx, orgId, timesOf([...events, ...beside]));
};

/** Assigns policies to the open sessions of changed contacts. */
export const assignPoliciesByContact: Reaction<'contact-updated'> = async (trx, orgId, events) => {
  if (!(await asksForContacts(trx, orgId))) return;
  const contacts = timesOf(events);
  const sessions = await listOpenSessionsOfContacts(trx, orgId, [...contacts.keys()]);
  const times = sessions.map(({ id, contact_id }) => [id, valueAt(contacts, contact_id)] as const);
  await evaluateSessions(trx, orgId, new Map(times));
};

/** Assigns other policies to sessions whose deleted contacts decided about theirs. */
export const assignPoliciesWithoutContact: Reaction<'contact-deleted'> = async (trx, orgId, events) => {
  const policies = (await listAssignments(trx, orgId)).filter(({ assignment }) => assignment?.filter != null);
  if (policies.length === 0) return;
  const ids = policies.map(({ id }) => id);
  const sessionIds = await listSessionsWithoutContact(trx, orgId, ids);
  await evaluateSessions(trx, orgId, allSince(sessionIds, earliestOf(events.map(({ created_at }) => created_at))));
};

const asksForContacts = async (trx: Trx, orgId: string): Promise<boolean> =>
  (await listAssignments(trx, orgId)).some(({ assignment }) => assignment?.filter != null);

/**
 * Assigns policies to a batch of all open sessions, if one is assigned by what has changed. Announces another event if more
 * sessions are left.
 */
export const assignPoliciesToOpenSessions: Reaction<'sla-assignments-changed'> = async (trx, orgId, events) => {
  const causes = events.map(({ payload }) => payload.by);
  const isKnown = causes.every((cause) => cause !== undefined);
  if (isKnown && !(await listAssignments(trx, orgId)).some((policy) => dependsOn(policy, causes))) return;
  const positions = events.map(({ payload }) => payload.after ?? NIL_UUID).toSorted();
  const sessionIds = await listOpenSessions(trx, orgId, { after: positions[0] ?? NIL_UUID, limit: SESSIONS_PER_BATCH });
  const since = earliestOf(
    events.map(({ payload, created_at }) => (payload.since === undefined ? created_at : new Date(payload.since))),
  );
  await evaluateSessions(trx, orgId, allSince(sessionIds, since));
  if (sessionIds.length < SESSIONS_PER_BATCH) return;
  const payload = { after: elementAt(sessionIds, -1), since: since.toISOString() };
  await announce(trx, orgId, [{ type: 'sla-assignments-changed', subject_id: orgId, payload }]);
};

/** Returns whether a policy is assigned by one of these conditions. */
const dependsOn = (
  { assignment }: { assignment: SlaAssignment | null },
  conditions: (SlaCondition | undefined)[],
): boolean =>
  assignment !== null &&
  ((conditions.includes('tags') && nonEmpty(assignment.tags) !== null) ||
    (conditions.includes('teams') && nonEmpty(assignment.teams) !== null) ||
    (conditions.includes('segments') && assignment.filter !== null));

/** An event that may bring a session under another policy. */
interface Cause {
  subject_id: string;
  created_at: Date;
}

/** Returns the subjects of events, each with the time of its first one. */
function timesOf(events: Cause[]): Map<string, Date> {
  const times = new Map<string, Date>();
  for (const { subject_id, created_at } of events) {
    const known = times.get(subject_id);
    if (known === undefined || created_at < known) times.set(subject_id, created_at);
  }
  return times;
}

const earliestOf = (times: Date[]): Date => new Date(Math.min(...times.map(Number)));

const allSince = (ids: string[], since: Date): Map<string, Date> => new Map(ids.map((id) => [id, since]));

/**
 * Assigns the oldest matching policy to each session, given with the time from which on its policy counts: that of the
 * event, as the relay may be late. Sessions are locked first: the last evaluation of a session sees all committed changes.
 * An org without policies has nothing to assign, and one that is created meanwhile has all open sessions evaluated.
 */
async function evaluateSessions(trx: Trx, orgId: string, times: ReadonlyMap<string, Date>): Promise<void> {
  const sessionIds = [...times.keys()];
  if (sessionIds.length === 0 || !(await mayChangePolicies(trx, orgId, sessionIds))) return;
  const open = new Set(await lockSessions(trx, orgId, sessionIds));
  const changed: string[] = [];
  for (const { id, assignment } of await listAssignments(trx, orgId)) {
    if (assignment === null || open.size === 0) continue;
    const matching = await listMatchingSessions(trx, orgId, [...open], {
      teams: nonEmpty(assignment.teams),
      channels: nonEmpty(assignment.channels),
      tagKeys: nonEmpty(assignment.tags)?.map(tagKeyOf) ?? null,
      contacts: assignment.filter === null ? null : await compileFilter(trx, orgId, assignment.filter),
    });
    for (const sessionId of matching) open.delete(sessionId);
    const covered = matching.map((sessionId) => ({ id: sessionId, since: valueAt(times, sessionId) }));
    changed.push(...(await upsertSessionPolicies(trx, orgId, id, covered)));
  }
  await updateHasSla(trx, orgId, changed, true);
  const released = await deleteSessionPolicies(trx, orgId, [...open]);
  await updateHasSla(trx, orgId, [...open], false);
  changed.push(...released);
  await wakeSlaClocks(trx, orgId, changed);
}

/** Returns null for an empty list, as it sets no condition. */
const nonEmpty = <Item>(list: Item[] | null): Item[] | null => (list === null || list.length === 0 ? null : list);
