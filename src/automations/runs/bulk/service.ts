import type { Db, Trx } from '../../../db/connect.ts';
import type { ItemJobProgress } from '../../../db/jobs/contract.ts';
import { progressOf } from '../../../db/jobs/item-jobs.ts';
import { changeEach, refusalOf } from '../../../db/jobs/refusals.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { conflict } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import { addNotifications } from '../../../notifications/service.ts';
import { enqueue, signalWithStart } from '../../../outbox/outbox.ts';
import type { Secrets } from '../../../secrets.ts';
import { WAKE } from '../../../temporal/contract.ts';
import { cancelRun, rerunWorkflow, retryRun } from '../service.ts';
import { CHANGE_RUNS, type RunJobRef } from './contract.ts';
import { findJob, insertJob, jobsOfRuns, type NewRunJob } from './queries.ts';
import type { RunAction } from './schema.ts';

export const { deleteOld: deleteOldRunJobs, listRunning: listRunningRunJobs } = jobsOfRuns;

const MAX_RUNS = 50_000;

export interface RunJobDeps {
  db: Db;
  secrets: Secrets;
}

/** Who changes runs, and how. */
interface Change {
  action: RunAction;
  /** The key or the session of the request. */
  callerId: string;
}

/** Returns the command to apply the action of a job to what is left of its runs. */
export const runRunJob = (ref: RunJobRef) =>
  signalWithStart(CHANGE_RUNS, ref, WAKE, { subjectId: ref.jobId, summary: 'Change many runs' });

/** Applies an action to each of some runs. Returns the outcome of each, in the given order. */
export function changeRuns({ db, secrets }: RunJobDeps, orgId: string, ids: string[], change: Change) {
  return changeEach(ids, (id) => inTransaction(db, (trx) => changeOne(trx, secrets, { orgId, id }, change)));
}

/** Starts a job that applies an action to the runs found now. Throws conflict if there are too many. */
export function startRunJob(
  db: Db,
  orgId: string,
  found: NewRunJob['found'],
  { action, callerId, userId }: Change & { userId: number | null },
) {
  return inTransaction(db, async (trx) => {
    const id = newId();
    const total = await insertJob(trx, orgId, { id, userId, callerId, action, found, maxRuns: MAX_RUNS });
    if (total > MAX_RUNS)
      throw conflict(`The query finds more than ${MAX_RUNS} runs: narrow it, by \`from\` and \`to\` for one`);
    await enqueue(trx, orgId, runRunJob({ orgId, jobId: id }));
    return { job_id: id, total };
  });
}

/** Returns a job with its first errors, or undefined if there is none. */
export async function findRunJob(db: Db, orgId: string, id: string) {
  const job = await findJob(db, orgId, id);
  return job === undefined ? undefined : { ...job, errors: await jobsOfRuns.listErrors(db, { orgId, jobId: id }) };
}

/**
 * Applies the action of a job to the next of its runs, or ends the job. A run is changed and recorded as done in one
 * transaction: once, however often the job is interrupted. Returns whether this process can do no more of it now.
 */
export const continueRunJob = ({ db, secrets }: RunJobDeps, ref: RunJobRef): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    const job = await findJob(trx, ref.orgId, ref.jobId);
    if (job === undefined || job.state === 'done') return true;
    const [id] = await jobsOfRuns.lockNext(trx, ref, 1);
    if (id === undefined) {
      await finishJob(trx, ref);
      return true;
    }
    const change = { action: job.action, callerId: job.caller_id };
    const error = await changeOne(trx, secrets, { orgId: ref.orgId, id }, change);
    await jobsOfRuns.settle(trx, ref, { ids: [id], errors: new Map(error === null ? [] : [[id, error]]) });
    return false;
  });

/** Returns how far a job is. */
export const readRunJobProgress = async (db: Db, { orgId, jobId }: RunJobRef): Promise<ItemJobProgress> =>
  progressOf(await findJob(db, orgId, jobId));

async function finishJob(trx: Trx, ref: RunJobRef): Promise<void> {
  const ended = await jobsOfRuns.end(trx, ref);
  if (ended === undefined) return; // another process has its last runs, and the workflow looks again
  const members = ended.user_id === null ? [] : [ended.user_id];
  await addNotifications(trx, ref.orgId, members, {
    kind: 'ended',
    sessionId: null,
    data: { job_id: ref.jobId, of: 'runs' },
  });
}

/** Applies an action to a run. Returns why it was refused, or null. */
const changeOne = (
  trx: Trx,
  secrets: Secrets,
  run: { orgId: string; id: string },
  change: Change,
): Promise<string | null> => refusalOf(trx, () => apply(trx, secrets, run, change));

async function apply(
  trx: Trx,
  secrets: Secrets,
  { orgId, id: runId }: { orgId: string; id: string },
  { action, callerId }: Change,
): Promise<void> {
  switch (action.type) {
    case 'retry':
      return retryRun(trx, secrets, orgId, { runId, skip: false, reason: action.reason, by: callerId });
    case 'cancel':
      return cancelRun(trx, orgId, undefined, runId);
    case 'rerun':
      await rerunWorkflow(trx, orgId, { runId, version: action.version });
  }
}
