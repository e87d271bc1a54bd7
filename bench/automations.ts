import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { sql } from 'kysely';
import { startRuns } from '../src/automations/runs/start-runs.service.ts';
import { activateWorkflow, createWorkflow } from '../src/automations/service.ts';
import { connect, type Db } from '../src/db/connect.ts';
import { inTransaction } from '../src/db/transaction.ts';
import { nodeFlagsOf } from '../src/dev/scripts.ts';
import { newId } from '../src/ids.ts';
import { createSecrets } from '../src/secrets.ts';
import { forEachConcurrently } from './support/concurrency.ts';
import type { Program } from './support/processes.ts';
import { type Finding, median, note, rateFinding, report } from './support/report.ts';
import { seedOrg } from './support/seed.ts';
import { type Stack, withStack } from './support/stack.ts';

const RUNS = 500;
const WARM_UP_RUNS = 100;
const ROUNDS = 5;
/** A pause in which the server finishes the work left by the round before. */
const SETTLE_MS = 5_000;
const FLOOD = 10_000;
const STARTS_AT_ONCE = 50;
const MEMORY_LIMIT_MB = 800;
const LATE_LIMIT_MS = 2_000;
const LOOKS_AT_OTHERS = 10;
const WORKER_FLAGS = nodeFlagsOf('worker');
const EGRESS_ALLOW = '127.0.0.0/8';
const TOTAL = 250;

/** The secrets of definitions; these definitions have none. */
const NO_SECRETS = createSecrets(`bench:${Buffer.alloc(32).toString('base64')}`);

interface Measured {
  rate: number;
  cpuMsARun: number;
}

/** Creates a new org and a workflow with a webhook trigger, one condition and one call. */
async function seedWorkflow(db: Db, url: string): Promise<{ orgId: string; workflowId: string }> {
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

/** Starts a run in the same way as the webhook route. */
const startRun = (db: Db, orgId: string, workflowId: string) =>
  inTransaction(db, (trx) => {
    const output = { body: { total: TOTAL }, headers: {}, query: {} };
    const triggerEvent = { key: `webhook/${newId()}`, occurredAt: new Date(), depth: 0, output };
    return startRuns(trx, orgId, 'webhook', { triggerEvents: [triggerEvent], cause: 'automatic', only: workflowId });
  });

async function startMany(db: Db, orgId: string, workflowId: string, count: number): Promise<void> {
  await forEachConcurrently(Array.from({ length: count }), STARTS_AT_ONCE, async () => {
    await startRun(db, orgId, workflowId);
  });
}

/** Measures from the first start to the last end, with the worker's processor time. */
async function runOurs(db: Db, worker: Program, url: string, runs: number): Promise<Measured> {
  const { orgId, workflowId } = await seedWorkflow(db, url);
  const [begun, cpu] = [performance.now(), worker.cpuMs()];
  await startMany(db, orgId, workflowId, runs);
  while ((await countCompleted(db, orgId)) < runs) await sleep(20);
  return measured(runs, begun, worker.cpuMs() - cpu);
}

async function countCompleted(db: Db, orgId: string): Promise<number> {
  const { rows } = await sql<{ done: number }>`
    select count(*) as done from automation_runs where org_id = ${orgId} and status = 'completed'
  `.execute(db);
  return Number(rows[0]?.done);
}

async function runHandWritten(
  client: Client,
  worker: Program,
  type: string,
  url: string,
  runs: number,
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
  return measured(runs, begun, worker.cpuMs() - cpu);
}

const measured = (runs: number, begun: number, cpuMs: number): Measured => ({
  rate: (runs / (performance.now() - begun)) * 1000,
  cpuMsARun: cpuMs / runs,
});

/** Alternates with the same workflow written by hand: with an activity a step, and with local activities. */
async function againstHandWritten(stack: Stack, db: Db, worker: Program, url: string): Promise<Finding[]> {
  await sql`
    create table hand_written_steps (org_id uuid, run_id uuid, step text, output jsonb, primary key (org_id, run_id, step))
  `.execute(db);
  const other = await stack.start(
    import.meta.resolve('./support/baselines/hand-written-worker.ts'),
    { EGRESS_ALLOW },
    WORKER_FLAGS,
  );
  await other.ask('ready');
  const connection = await Connection.connect({ address: stack.env.TEMPORAL_ADDRESS as string });
  const client = new Client({ connection });
  const ways = [
    { name: 'ours', run: (runs: number) => runOurs(db, worker, url, runs), rounds: [] as Measured[] },
    {
      name: 'an activity a step',
      run: (runs: number) => runHandWritten(client, other, 'byActivities', url, runs),
      rounds: [] as Measured[],
    },
    {
      name: 'local activities',
      run: (runs: number) => runHandWritten(client, other, 'byLocalActivities', url, runs),
      rounds: [] as Measured[],
    },
  ] as const;
  for (const { run } of ways) await run(WARM_UP_RUNS);
  for (let round = 1; round <= ROUNDS; round++) {
    for (const { run, rounds } of ways) {
      await sleep(SETTLE_MS);
      rounds.push(await run(RUNS));
    }
    note(
      `round ${round}: ${ways.map(({ name, rounds }) => `${name} ${inWords(rounds.at(-1) as Measured)}`).join('; ')}`,
    );
  }
  await connection.close();
  await other.stop();
  const cpu = (of: Measured[]) => median(of.map(({ cpuMsARun }) => cpuMsARun));
  note(
    `worker's processor time a run: ${ways.map(({ name, rounds }) => `${name} ${cpu(rounds).toFixed(1)} ms`).join(', ')}`,
  );
  const [ours, byActivities] = ways.map(({ rounds }) => rounds.map(({ rate }) => rate));
  return [rateFinding('automations / an activity a step, by hand', ours ?? [], byActivities ?? [], 1)];
}

const inWords = ({ rate, cpuMsARun }: Measured) => `${rate.toFixed(0)}/s at ${cpuMsARun.toFixed(1)} ms`;

/** Starts 10,000 runs of one org at once, and measures single runs of another org meanwhile. */
async function underFlood(db: Db, worker: Program, url: string): Promise<Finding[]> {
  const flooded = await seedWorkflow(db, url);
  const other = await seedWorkflow(db, url);
  const begun = performance.now();
  const triggerEvents = Array.from({ length: FLOOD }, () => ({
    key: `webhook/${newId()}`,
    occurredAt: new Date(),
    depth: 0,
    output: { body: { total: TOTAL }, headers: {}, query: {} },
  }));
  await inTransaction(db, (trx) =>
    startRuns(trx, flooded.orgId, 'webhook', { triggerEvents, cause: 'automatic', only: flooded.workflowId }),
  );
  const late: number[] = [];
  let looks = 0;
  while ((await countCompleted(db, flooded.orgId)) < FLOOD) {
    if (++looks > LOOKS_AT_OTHERS) {
      await sleep(200);
      continue;
    }
    const asked = performance.now();
    await startRun(db, other.orgId, other.workflowId);
    while ((await countCompleted(db, other.orgId)) < looks) await sleep(5);
    late.push(performance.now() - asked);
    await sleep(500);
  }
  const seconds = (performance.now() - begun) / 1000;
  const peakMb = worker.peakMemoryMb();
  const worst = Math.max(...late);
  note(`${FLOOD} runs at once ended in ${seconds.toFixed(0)} s; worker at most ${peakMb.toFixed(0)} MB`);
  note(`single runs of another org meanwhile: ${late.map((ms) => ms.toFixed(0)).join(', ')} ms`);
  return [
    {
      name: `automations, ${FLOOD} runs at once, memory of the worker`,
      subject: `${peakMb.toFixed(0)} MB`,
      baseline: '',
      ratio: '',
      target: `< ${MEMORY_LIMIT_MB} MB`,
      isMet: peakMb < MEMORY_LIMIT_MB,
    },
    {
      name: "automations, another org's single run meanwhile",
      subject: `${worst.toFixed(0)} ms`,
      baseline: '',
      ratio: '',
      target: `≤ ${LATE_LIMIT_MS} ms`,
      isMet: late.length > 0 && worst <= LATE_LIMIT_MS,
    },
  ];
}

await report(() =>
  withStack({ hasTemporal: true }, async (stack) => {
    const { db, close } = connect(stack.databaseUrl, { poolSize: STARTS_AT_ONCE });
    try {
      const sink = await stack.start(import.meta.resolve('./support/programs/http-sink.ts'));
      const url = await sink.ask<string>('url');
      const worker = await stack.start(
        import.meta.resolve('../worker/main.ts'),
        { EGRESS_ALLOW, DEVELOPMENT: 'true' },
        WORKER_FLAGS,
      );
      const findings = await againstHandWritten(stack, db, worker, url);
      findings.push(...(await underFlood(db, worker, url)));
      const wanted = 3 * (WARM_UP_RUNS + ROUNDS * RUNS) + FLOOD;
      const taken = await sink.ask<number>('taken');
      if (taken < wanted) throw new Error(`the sink received ${taken} calls, not ${wanted}`);
      return findings;
    } finally {
      await close();
    }
  }),
);
