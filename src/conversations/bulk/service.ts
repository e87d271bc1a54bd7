import type { Db, Trx } from '../../db/connect.ts';
import { inSavepoint, inTransaction } from '../../db/transaction.ts';
import { conflict, DomainError, missingScope, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { OrgPrincipal } from '../../keys/verifier.ts';
import { addNotifications } from '../../notifications/service.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import { runAsActor } from '../../processes/current-work.ts';
import { type Actor, SYSTEM } from '../../schemas/actor.ts';
import { hasScope } from '../../schemas/scopes.ts';
import { WAKE } from '../../temporal/contract.ts';
import { addTags, applySessionUpdate, assignSession, removeTags } from '../sessions/actions.service.ts';
import { UpdateSession } from '../sessions/schema.ts';
import { snoozeSession } from '../snooze/service.ts';
import { RUN_SESSION_JOB, type SessionJobProgress, type SessionJobRef } from './contract.ts';
import type { OtherJobs } from './jobs.port.ts';
import { endJob, findJob, insertJob, listErrors, lockNextItem, type NewJob, settleItem } from './queries.ts';
import type { BulkAction, JobAnswer, StoredAction } from './schema.ts';

export { deleteOldJobs, listRunningJobs } from './queries.ts';

type Job = NonNullable<Awaited<ReturnType<typeof findJob>>>;

const MAX_SESSIONS = 50_000;

/** Who changes sessions, and how. */
interface Change {
  action: BulkAction;
  /** The member who does it. Null for an API key. */
  userId: number | null;
}

/** Returns the command to apply the action of a job to what is left of its sessions. */
export const runJob = (ref: SessionJobRef) =>
  signalWithStart(RUN_SESSION_JOB, ref, WAKE, { subjectId: ref.jobId, summary: 'Change many sessions' });

/** Applies an action to each of some sessions. Returns the outcome of each, in the given order. */
export async function changeSessions(db: Db, orgId: string, ids: string[], change: Change) {
  const errors = new Map<string, string | null>();
  for (const id of [...new Set(ids)].toSorted())
    errors.set(id, await inTransaction(db, (trx) => changeOne(trx, orgId, id, change)));
  return ids.map((id) => ({ id, ...(errors.get(id) == null ? {} : { error: errors.get(id) ?? '' }) }));
}

/** Starts a job that applies an action to the sessions found now. Throws conflict if there are too many. */
export function startJob(db: Db, orgId: string, found: NewJob['found'], { action, userId }: Change) {
  return inTransaction(db, async (trx) => {
    const id = newId();
    const job = { id, userId, action, found, maxSessions: MAX_SESSIONS };
    const total = await insertJob(trx, orgId, job);
    if (total > MAX_SESSIONS)
      throw conflict(`The query finds more than ${MAX_SESSIONS} sessions: narrow it, by date for one`);
    await enqueue(trx, orgId, runJob({ orgId, jobId: id }));
    return { job_id: id, total };
  });
}

/** Returns a job of sessions with its first errors, or undefined if there is none. */
async function findSessionJob(db: Db, orgId: string, id: string) {
  const job = await findJob(db, orgId, id);
  return job === undefined ? undefined : { ...job, errors: await listErrors(db, orgId, id) };
}

const OF_SESSIONS: OtherJobs = { scope: 'chat-sessions:read', find: findSessionJob };

/** Returns a job of any kind with its first errors. Throws notFound, and missingScope if its kind is not for the caller. */
export async function getJob(db: Db, org: OrgPrincipal, id: string, others: readonly OtherJobs[]): Promise<JobAnswer> {
  for (const { scope, find } of [OF_SESSIONS, ...others]) {
    const job = await find(db, org.id, id);
    if (job !== undefined && !hasScope(org, scope)) throw missingScope(scope);
    if (job !== undefined) return job;
  }
  throw notFound('job');
}

/**
 * Applies the action of a job to the next of its sessions, or ends the job. A session is changed and recorded as done in
 * one transaction: once, however often the job is interrupted. Returns whether the job has ended.
 */
export const continueJob = (db: Db, ref: SessionJobRef): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    const job = await findJob(trx, ref.orgId, ref.jobId);
    if (job === undefined || job.state === 'done') return true;
    const next = await lockNextItem(trx, ref);
    if (next === undefined) return finishJob(trx, ref);
    const { session_id: sessionId } = next;
    const change = { action: actionOf(job.action), userId: job.user_id };
    const error = await runAsActor(actorOf(job), () => changeOne(trx, ref.orgId, sessionId, change));
    await settleItem(trx, ref, { sessionId, error });
    return false;
  });

/** Returns who does a job, as histories name it: the member who asked for it. */
const actorOf = ({ user_id: id, user_name: name }: Pick<Job, 'user_id' | 'user_name'>): Actor =>
  id === null ? SYSTEM : { kind: 'member', id, name };

/** Returns how far a job is. */
export async function readProgress(db: Db, { orgId, jobId }: SessionJobRef): Promise<SessionJobProgress> {
  const job = await findJob(db, orgId, jobId);
  return { isEnded: job?.state !== 'running', done: job?.done ?? 0, failed: job?.failed ?? 0 };
}

/** Returns an action as it was given. A snooze whose time has come since is over at once. */
const actionOf = (stored: StoredAction): BulkAction =>
  stored.type === 'snooze'
    ? {
        ...stored,
        until: stored.until == null ? null : new Date(stored.until),
        until_reply: stored.until_reply === true,
      }
    : stored;

async function finishJob(trx: Trx, ref: SessionJobRef): Promise<boolean> {
  const ended = await endJob(trx, ref);
  if (ended === undefined) return false; // another process has its last sessions
  const members = ended.user_id === null ? [] : [ended.user_id];
  await addNotifications(trx, ref.orgId, members, { kind: 'ended', sessionId: null, data: { job_id: ref.jobId } });
  return true;
}

/** Applies an action to a session. Returns why it was refused, or null. */
async function changeOne(trx: Trx, orgId: string, id: string, change: Change): Promise<string | null> {
  try {
    await inSavepoint(trx, () => apply(trx, orgId, id, change));
    return null;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.message;
  }
}

async function apply(trx: Trx, orgId: string, id: string, { action, userId }: Change): Promise<void> {
  switch (action.type) {
    case 'assign':
      return assignSession(trx, orgId, id, { ...action, by: userId ?? undefined });
    case 'set_status':
      return applySessionUpdate(trx, orgId, id, UpdateSession.parse({ status: action.status }));
    case 'add_tags':
      return addTags(trx, orgId, id, action.tags);
    case 'remove_tag':
      return removeTags(trx, orgId, id, action.tag_name);
    case 'snooze':
      await snoozeSession(trx, orgId, id, action);
  }
}
