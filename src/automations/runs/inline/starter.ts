import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../../db/connect.ts';
import { hasFastPaths } from '../../../db/fast-paths.ts';
import { listen } from '../../../db/listen.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { WriteQuota } from '../../../db/write-quota.ts';
import { NIL_UUID } from '../../../ids.ts';
import { endLeases, RENEWAL_MS, renewLeases } from '../../../outbox/leases.ts';
import { outsideOfTraces } from '../../../tracing/spans.ts';
import type { ActionDeps } from '../../actions/action.ts';
import { ACTIONS } from '../../actions/registry.ts';
import { workflowIdOfBatch } from '../batches/contract.ts';
import { createProgressWriter, type ProgressWriter } from '../batches/progress-writer.ts';
import { MAX_QUEUED_ONE_BY_ONE, startInWorkflows } from '../run-queue.service.ts';
import { listOrgsWithQueuedRuns } from './queries.ts';
import { claimInlineBatch, doInlineBatch, type InlineBatch } from './service.ts';
import { RUNS_CHANNEL, wakeStarterDirectly } from './waking.ts';

/** What a lost notification would have told is found after this time. */
const SWEEP_MS = 1_000;
/** Orgs whose queued runs are claimed at the same time. */
const CLAIMS_AT_ONCE = 4;
/** While runs of an org are under way, those that arrive within this time begin together. */
const GATHER_MS = 5;
/** With so many runs under way in this process, others begin in workflows. */
const MAX_RUNS = 500;
export interface StarterOptions {
  databaseUrl: string;
  db: Db;
  deps: ActionDeps;
  quota: Pick<WriteQuota, 'isUsed'>;
  log: Pick<FastifyBaseLogger, 'warn'>;
  /** How long a stopping process waits for calls that are under way. */
  stopMs: number;
}

export interface RunStarter {
  /** Begins no more steps. Runs under way continue in workflows. */
  stop(): Promise<void>;
}

/** An org with runs under way in this process. */
interface ActiveOrg {
  writer: ProgressWriter;
  runs: number;
  claimedAt: number;
  /** More of its runs are queued. */
  hasMore: boolean;
}

interface Starter extends Omit<StarterOptions, 'databaseUrl'> {
  /** Orgs that may have queued runs. */
  woken: Set<string>;
  claiming: Set<string>;
  active: Map<string, ActiveOrg>;
  /** The workflows of the batches under way. */
  leases: Set<string>;
  batches: Set<Promise<void>>;
  runs: number;
  isStopping: boolean;
}

/**
 * Starts queued runs as soon as they are committed: does the short ones in this process, and leaves to workflows what is
 * too much, or takes long. Any number of starters may run at once.
 */
export function startRunStarter({ databaseUrl, ...options }: StarterOptions): RunStarter {
  const starter: Starter = {
    ...options,
    woken: new Set(),
    claiming: new Set(),
    active: new Map(),
    leases: new Set(),
    batches: new Set(),
    runs: 0,
    isStopping: false,
  };
  const stopWakingDirectly = wakeStarterDirectly(options.db, (orgId) => wake(starter, orgId));
  const listener = listen(databaseUrl, RUNS_CHANNEL, (hints) => {
    for (const orgId of hints.split(' ')) if (orgId !== '') wake(starter, orgId);
  });
  const sweep = sweeper(starter);
  const sweeping = setInterval(() => void sweep(), SWEEP_MS);
  const renewing = setInterval(() => void renew(starter), RENEWAL_MS);
  return {
    async stop() {
      starter.isStopping = true;
      stopWakingDirectly();
      clearInterval(sweeping);
      await listener.close();
      await Promise.race([Promise.allSettled(starter.batches), sleep(options.stopMs, undefined, { ref: false })]);
      clearInterval(renewing);
    },
  };
}

/** Returns a function that wakes some orgs with queued runs per call, continuing with the next ones each time. */
function sweeper(starter: Starter): () => Promise<void> {
  let after: string = NIL_UUID;
  let isBusy = false;
  return async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      const orgs = await listOrgsWithQueuedRuns(starter.db, after);
      for (const orgId of orgs) wake(starter, orgId);
      after = orgs.at(-1) ?? NIL_UUID;
    } catch (error) {
      starter.log.warn({ err: error }, 'queued runs were not found; retrying');
    } finally {
      isBusy = false;
    }
  };
}

/** Keeps the batches under way from the relay. */
async function renew({ db, leases, log }: Starter): Promise<void> {
  if (leases.size === 0) return;
  try {
    await renewLeases(db, [...leases]);
  } catch (error) {
    log.warn({ err: error }, 'batches of runs were not renewed; retrying');
  }
}

function wake(starter: Starter, orgId: string): void {
  starter.woken.add(orgId);
  if (starter.claiming.size < CLAIMS_AT_ONCE) outsideOfTraces(() => void claimWoken(starter));
}

/** Starts the queued runs of woken orgs, one org after the other. */
async function claimWoken(starter: Starter): Promise<void> {
  const { woken, claiming, log } = starter;
  for (;;) {
    const orgId = nextOrg(starter);
    if (orgId === undefined || starter.isStopping) return;
    woken.delete(orgId);
    claiming.add(orgId);
    try {
      await startRunsOf(starter, orgId);
    } catch (error) {
      log.warn({ err: error, org_id: orgId }, 'queued runs were not started; retrying');
    } finally {
      claiming.delete(orgId);
    }
  }
}

/** Returns a woken org whose runs are not being claimed already. */
function nextOrg({ woken, claiming }: Starter): string | undefined {
  for (const orgId of woken) if (!claiming.has(orgId)) return orgId;
  return undefined;
}

async function startRunsOf(starter: Starter, orgId: string): Promise<void> {
  const { db, quota, active } = starter;
  const room = MAX_RUNS - starter.runs;
  if (!hasFastPaths(db) || room <= 0 || quota.isUsed(orgId))
    return inTransaction(db, (trx) => startInWorkflows(trx, orgId));
  await gather(active.get(orgId));
  const { batch, state } = await claimInlineBatch(db, orgId, room);
  const started = batch.runs.length;
  if (started > 0) begin(starter, batch);
  const { own, batched, queued } = state;
  if (own + batched + queued > MAX_QUEUED_ONE_BY_ONE) await inTransaction(db, (trx) => startInWorkflows(trx, orgId));
  const org = active.get(orgId);
  if (org !== undefined) org.hasMore = queued > started;
}

/** Waits for more runs of an org that has just begun some: they are claimed and saved together. */
async function gather(org: ActiveOrg | undefined): Promise<void> {
  const remainingMs = org === undefined ? 0 : org.claimedAt + GATHER_MS - performance.now();
  if (remainingMs > 0) await sleep(remainingMs);
}

/** Begins the runs of a batch, without waiting for their ends. */
function begin(starter: Starter, batch: InlineBatch): void {
  const { orgId } = batch.ref;
  const org = starter.active.get(orgId) ?? {
    writer: createProgressWriter(starter.db, orgId),
    runs: 0,
    claimedAt: 0,
    hasMore: false,
  };
  starter.active.set(orgId, org);
  org.claimedAt = performance.now();
  org.runs += batch.runs.length;
  starter.runs += batch.runs.length;
  const onRunEnd = () => {
    starter.runs--;
    if (--org.runs === 0) starter.active.delete(orgId);
    if (!org.hasMore) return;
    org.hasMore = false;
    wake(starter, orgId);
  };
  const done = doBatch(starter, batch, { writer: org.writer, onRunEnd }).finally(() => starter.batches.delete(done));
  starter.batches.add(done);
}

/** Does a batch. After an error of the database, its lease ends by itself, and its workflow starts. */
async function doBatch(
  starter: Starter,
  batch: InlineBatch,
  { writer, onRunEnd }: { writer: ProgressWriter; onRunEnd: () => void },
): Promise<void> {
  const { db, deps, quota, leases, log } = starter;
  const { orgId, batchId } = batch.ref;
  const workflowId = workflowIdOfBatch(batchId);
  leases.add(workflowId);
  const isStopped = () => starter.isStopping || quota.isUsed(orgId);
  try {
    await doInlineBatch({ ...deps, actions: ACTIONS }, batch, { writer, isStopped, onRunEnd });
    await endLeases(db, [workflowId]);
  } catch (error) {
    log.warn({ err: error, org_id: orgId, batch: batchId }, 'a batch of runs failed; its workflow does the rest');
  } finally {
    leases.delete(workflowId);
  }
}
