import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { sql } from 'kysely';
import { startRuns } from '../../src/automations/runs/start-runs.service.ts';
import { activateWorkflow, createWorkflow } from '../../src/automations/service.ts';
import { forEachConcurrently } from '../../src/concurrency/limited.ts';
import { connect, type Db } from '../../src/db/connect.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import { createSecrets } from '../../src/secrets.ts';
import type { Program } from './processes.ts';
import { median, note } from './report.ts';
import { seedOrg } from './seed.ts';
import { withStack } from './stack.ts';

const WARM_UP_RUNS = 100;
/** A pause in which the server finishes the work left by the round before. */
const SETTLE_MS = 3_000;
const STARTS_AT_ONCE = 50;
const EGRESS_ALLOW = '127.0.0.0/8';
const TOTAL = 250;
/** A task that was given to nobody is given again after ten seconds. */
const LOST_TASK_MS = 8_000;

/** The secrets of definitions; these definitions have none. */
const NO_SECRETS = createSecrets(`bench:${Buffer.alloc(32).toString('base64')}`);

export interface Measured {
  rate: number;
  cpuMsARun: number;
}

/** One way to do the same: ours, or one of those written by hand. */
export interface Way {
  name: string;
  run: (runs: number) => Promise<Measured>;
}

/** The servers and programs of a bench of customers' workflows. */
export interface AutomationBench {
  db: Db;
  client: Client;
  worker: Program;
  /** The address that runs call. */
  url: string;
  ours: Way;
  byHand: { activities: Way; localActivities: Way };
}

/** Runs `work` with our worker and the worker of what is written by hand. Fails if a call was not received. */
export const withAutomations = <T>(work: (bench: AutomationBench) => Promise<T>): Promise<T> =>
  withStack({ hasTemporal: true }, async (stack) => {
    const { db, close } = connect(stack.databaseUrl, { poolSize: STARTS_AT_ONCE });
    const connection = await Connection.connect({ address: stack.env.TEMPORAL_ADDRESS as string });
    const client = new Client({ connection });
    try {
      const sink = await stack.start(import.meta.resolve('./programs/http-sink.ts'));
      const url = await sink.ask<string>('url');
      const env = { EGRESS_ALLOW, DEVELOPMENT: 'true' };
      const worker = await stack.start('worker', env);
      await sql`
        create table hand_written_steps (org_id uuid, run_id uuid, step text, output jsonb, primary key (org_id, run_id, step))
      `.execute(db);
      const other = await stack.start(import.meta.resolve('./baselines/hand-written-worker.ts'), env, 'worker');
      await other.ask('ready');
      let wanted = 0;
      const way = (name: string, run: (runs: number) => Promise<Measured>): Way => ({
        name,
        run: (runs) => {
          wanted += runs;
          return run(runs);
        },
      });
      const byHand = (type: string) => (runs: number) => runHandWritten(client, other, { type, url, runs });
      const result = await work({
        db,
        client,
        worker,
        url,
        ours: way('ours', (runs) => runOurs(db, [worker], url, runs)),
        byHand: {
          activities: way('an activity a step', byHand('byActivities')),
          localActivities: way('local activities', byHand('byLocalActivities')),
        },
      });
      const taken = await sink.ask<number>('taken');
      if (taken < wanted) throw new Error(`the sink received ${taken} calls, not ${wanted}`);
      return result;
    } finally {
      await connection.close();
      await close();
    }
  });

/** Measures each way in turns, after a warm-up. Returns the rates of each, by its name. */
export async function inTurns(ways: Way[], { rounds, runs }: { rounds: number; runs: number }) {
  const measured = new Map(ways.map(({ name }) => [name, [] as Measured[]]));
  for (const { run } of ways) await run(WARM_UP_RUNS);
  for (let round = 1; round <= rounds; round++) {
    const words: string[] = [];
    for (const { name, run } of ways) {
      await sleep(SETTLE_MS);
      const one = await run(runs);
      measured.get(name)?.push(one);
      words.push(`${name} ${one.rate.toFixed(0)}/s at ${one.cpuMsARun.toFixed(1)} ms`);
    }
    note(`round ${round}: ${words.join('; ')}`);
  }
  const cpu = [...measured].map(
    ([name, of]) => `${name} ${median(of.map(({ cpuMsARun }) => cpuMsARun)).toFixed(1)} ms`,
  );
  note(`worker's processor time a run: ${cpu.join(', ')}`);
  return new Map([...measured].map(([name, of]) => [name, of.map(({ rate }) => rate)]));
}

/** Creates a new org and a workflow with a webhook trigger, one condition and one call. */
export async function seedWorkflow(db: Db, url: string): Promise<{ orgId: string; workflowId: string }> {
  const orgId = await seedOrg(db, 0);
  const condition = { operatorName: 'greater_than', left: '{{trigger.output.body.total}}', right: 100 };
  const call = {
    $kind: 'Action',
    id: 'call',
    type: 'send-webhook',
    name: 'Call',
    input: { url, method: 'POST', body: { total: '{{trigger.output.body.total}}' } },
  };
  // biome-ignore lint/suspicious/noThenProperty: the definitions' own word
  const big = { $kind: 'Block', type: 'if-else', id: 'big', inputs: { condition }, branches: { then: [call] } };
  const { workflow_id: workflowId } = await createWorkflow(db, NO_SECRETS, orgId, {
    name: 'Bench',
    trigger_type: 'webhook',
    workflow_blocks: [big],
  });
  await activateWorkflow(db, orgId, workflowId, undefined);
  return { orgId, workflowId };
}

/** Starts runs in one transaction, in the same way as the webhook route starts one. */
export const startRunsAtOnce = (db: Db, orgId: string, workflowId: string, count = 1) =>
  inTransaction(db, (trx) => {
    const triggerEvents = Array.from({ length: count }, () => ({
      key: `webhook/${newId()}`,
      occurredAt: new Date(),
      depth: 0,
      output: { body: { total: TOTAL }, headers: {}, query: {} },
    }));
    return startRuns(trx, orgId, 'webhook', { triggerEvents, cause: 'automatic', only: workflowId });
  });

export async function countCompleted(db: Db, orgId: string): Promise<number> {
  const { rows } = await sql<{ done: number }>`
    select count(*) as done from automation_runs where org_id = ${orgId} and status = 'completed'
  `.execute(db);
  return Number(rows[0]?.done);
}

/** Measures runs of a new org from the first start to the last end, with the workers' processor time. */
export async function runOurs(db: Db, workers: Program[], url: string, runs: number): Promise<Measured> {
  const { orgId, workflowId } = await seedWorkflow(db, url);
  const cpuMs = () => workers.reduce((sum, worker) => sum + worker.cpuMs(), 0);
  const [begun, cpu] = [performance.now(), cpuMs()];
  await forEachConcurrently(Array.from({ length: runs }), STARTS_AT_ONCE, async () => {
    await startRunsAtOnce(db, orgId, workflowId);
  });
  while ((await countCompleted(db, orgId)) < runs) await sleep(20);
  return measuredOf(runs, begun, cpuMs() - cpu);
}

async function runHandWritten(
  client: Client,
  worker: Program,
  { type, url, runs }: { type: string; url: string; runs: number },
): Promise<Measured> {
  const orgId = newId();
  const [begun, cpu] = [performance.now(), worker.cpuMs()];
  const ends: Promise<unknown>[] = [];
  await forEachConcurrently(Array.from({ length: runs }), STARTS_AT_ONCE, async () => {
    const runId = newId();
    const args = [{ orgId, runId, url, total: TOTAL }];
    ends.push((await client.workflow.start(type, { workflowId: runId, taskQueue: 'hand-written', args })).result());
  });
  await Promise.all(ends);
  return measuredOf(runs, begun, worker.cpuMs() - cpu);
}

const measuredOf = (runs: number, begun: number, cpuMs: number): Measured => ({
  rate: (runs / (performance.now() - begun)) * 1000,
  cpuMsARun: cpuMs / runs,
});

/** Returns the timed out workflow tasks of a type of workflow, as `<kind of time limit> of <workflow id>`. */
export async function listLostTasks(client: Client, workflowType: string): Promise<string[]> {
  const lost: string[] = [];
  for await (const { workflowId, startTime, closeTime } of client.workflow.list({
    query: `WorkflowType = '${workflowType}'`,
  })) {
    if ((closeTime ?? new Date()).getTime() - startTime.getTime() < LOST_TASK_MS) continue;
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    for (const { workflowTaskTimedOutEventAttributes: timedOut } of events ?? [])
      if (timedOut) lost.push(`${String(timedOut.timeoutType)} of ${workflowId}`);
  }
  return lost;
}
