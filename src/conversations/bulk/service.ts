import type { Db, Trx } from '../../db/connect.ts';
import type { ItemJobProgress } from '../../db/jobs/contract.ts';
import { progressOf } from '../../db/jobs/item-jobs.ts';
import { changeEach, refusalOf } from '../../db/jobs/refusals.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, missingScope, notFound } from '../../errors.ts';
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
import { RUN_SESSION_JOB, type SessionJobRef } from './contract.ts';
import type { OtherJobs } from './jobs.port.ts';
import { findJob, insertJob, type NewJob, sessionJobs } from './queries.ts';
import type { BulkAction, JobAnswer, StoredAction } from './schema.ts';

export const { deleteOld: deleteOldJobs, listRunning: listRunningJobs } = sessionJobs;

type Job = NonNullable<Awaited<ReturnType<typeof findJob>>>;

const MAX_SESSIONS = 50_000;

/** The author and the kind of a change of sessions. */
interface Change {
  action: BulkAction;
  /** The acting member. Null for an API key. */
  userId: number | null;
}

/** Returns the command to apply the action of a job to the rest of its sessions. */
export const runJob = (ref: SessionJobRef) =>
  signalWithStart(RUN_SESSION_JOB, ref, WAKE, { subjectId: ref.jobId, summary: 'Change many sessions' });

/** Applies an action to each of some sessions. Returns the outcome of each, in the given order. */
export function changeSessions(db: Db, orgId: string, ids: string[], change: Change) {
  return changeEach(ids, (id) => inTransaction(db, (trx) => changeOne(trx, orgId, id, change)));
}

/** Starts a job to apply an action to the sessions found now. Throws conflict if there are too many. */
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
  return job === undefined ? undefined : { ...job, errors: await sessionJobs.listErrors(db, { orgId, jobId: id }) };
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
 * one transaction: once, however often the job is interrupted. Returns whether this process can do no more of it now.
 */
export const continueJob = (db: Db, ref: SessionJobRef): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    const job = await findJob(trx, ref.orgId, ref.jobId);
    if (job === undefined || job.state === 'done') return true;
    const [sessionId] = await sessionJobs.lockNext(trx, ref, 1);
    if (sessionId === undefined) {
      await finishJob(trx, ref);
      return true;
    }
    const change = { action: actionOf(job.action), userId: job.user_id };
    const error = await runAsActor(actorOf(job), () => changeOne(trx, ref.orgId, sessionId, change));
    await sessionJobs.settle(trx, ref, {
      ids: [sessionId],
      errors: new Map(error === null ? [] : [[sessionId, error]]),
    });
    return false;
  });

/** Returns the actor of a job in histories: the member behind the request. */
const actorOf = ({ user_id: id, user_name: name }: Pick<Job, 'user_id' | 'user_name'>): Actor =>
  id === null ? SYSTEM : { kind: 'member', id, name };

/** Returns how far a job is. */
export const readProgress = async (db: Db, { orgId, jobId }: SessionJobRef): Promise<ItemJobProgress> =>
  progressOf(await findJob(db, orgId, jobId));

/** Returns an action as it was given. A snooze with a time passed since is over at once. */
const actionOf = (stored: StoredAction): BulkAction =>
  stored.type === 'snooze'
    ? {
        ...stored,
        until: stored.until == null ? null : new Date(stored.until),
        until_reply: stored.until_reply === true,
      }
    : stored;

async function finishJob(trx: Trx, ref: SessionJobRef): Promise<void> {
  const ended = await sessionJobs.end(trx, ref);
  if (ended === undefined) return; // another process has its last sessions, and the workflow looks again
  const members = ended.user_id === null ? [] : [ended.user_id];
  await addNotifications(trx, ref.orgId, members, { kind: 'ended', sessionId: null, data: { job_id: ref.jobId } });
}

/** Applies an action to a session. Returns why it was refused, or null. */
const changeOne = (trx: Trx, orgId: string, id: string, change: Change): Promise<string | null> =>
  refusalOf(trx, () => apply(trx, orgId, id, change));

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
