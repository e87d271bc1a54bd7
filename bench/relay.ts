import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../src/db/connect.ts';
import { inTransaction } from '../src/db/transaction.ts';
import { newId } from '../src/ids.ts';
import { enqueue, start } from '../src/outbox/outbox.ts';
import type { WorkflowContract } from '../src/temporal/contract.ts';
import type { Program } from './support/processes.ts';
import { type Finding, median, note, rateFinding, report, timeFinding } from './support/report.ts';
import { withStack } from './support/stack.ts';

const PAIRS = 200;
const PAUSE_MS = 15;
const BACKLOG = 2_000;
const BACKLOG_ROUNDS = 4;
/** The concurrent direct starts: as many as make them fastest. */
const AT_ONCE = 50;
const WARM_UP = 300;

/** A workflow without a worker: the measurement ends with its start. */
const BENCH: WorkflowContract<{ happening: string }> = {
  type: 'benchStart',
  taskQueue: 'bulk',
  workflowId: ({ happening }) => `bench/${happening}`,
};

/**
 * Compares the time from a commit to the start of its workflow with the time of a direct start. The two alternate,
 * never running together.
 */
async function latency(db: Db, program: Program): Promise<Finding> {
  const orgId = newId();
  await program.ask('startRelay');
  const direct: number[] = [];
  const relayed: number[] = [];
  for (let pair = -20; pair < PAIRS; pair++) {
    const directMs = await program.ask<number>('timeDirectStart', directStart(orgId));
    await sleep(PAUSE_MS);
    const relayedMs = await timeRelayedStart(db, program, orgId);
    await sleep(PAUSE_MS);
    if (pair < 0) continue;
    direct.push(directMs);
    relayed.push(relayedMs);
  }
  await program.ask('stopRelay');
  return timeFinding('relay, commit to workflow started / a direct start', median(relayed), median(direct), 3);
}

async function timeRelayedStart(db: Db, program: Program, orgId: string): Promise<number> {
  const happening = newId();
  await inTransaction(db, (trx) => enqueue(trx, orgId, commandOf(orgId, happening)));
  const committedAt = Number(process.hrtime.bigint()) / 1e6;
  const startedAt = await program.ask<number>('whenStarted', { workflowId: `bench/${happening}` });
  return startedAt - committedAt;
}

/**
 * Compares draining a backlog by the relay with as many direct starts at the same concurrency. They alternate, each as
 * often first as second.
 */
async function backlog(db: Db, program: Program): Promise<Finding> {
  const direct: number[] = [];
  const drained: number[] = [];
  await startBacklog(program, WARM_UP);
  await drainBacklog(db, program, WARM_UP);
  for (let round = 1; round <= BACKLOG_ROUNDS; round++) {
    if (round % 2 === 1) direct.push(await startBacklog(program, BACKLOG));
    drained.push(await drainBacklog(db, program, BACKLOG));
    if (round % 2 === 0) direct.push(await startBacklog(program, BACKLOG));
    note(`backlog round ${round}: relay ${drained.at(-1)?.toFixed(0)}/s, direct ${direct.at(-1)?.toFixed(0)}/s`);
  }
  return rateFinding('relay, draining a backlog / direct starts', drained, direct, 0.9);
}

function startBacklog(program: Program, count: number): Promise<number> {
  const orgId = newId();
  const starts = Array.from({ length: count }, () => directStart(orgId));
  return program.ask<number>('startAll', { starts, atOnce: AT_ONCE });
}

async function drainBacklog(db: Db, program: Program, count: number): Promise<number> {
  const orgId = newId();
  const commands = Array.from({ length: count }, () => commandOf(orgId, newId()));
  await inTransaction(db, (trx) => enqueue(trx, orgId, ...commands));
  const rate = await program.ask<number>('drain', { count });
  await assertDrained(db);
  return rate;
}

async function assertDrained(db: Db): Promise<void> {
  const { rows } = await sql<{ left: number }>`select count(*) as left from outbox`.execute(db);
  if (rows[0]?.left !== 0) throw new Error(`the relay left ${rows[0]?.left} rows`);
}

const directStart = (orgId: string) => ({ orgId, workflowId: `bench/${newId()}`, taskQueue: BENCH.taskQueue });

const commandOf = (orgId: string, happening: string) =>
  start(BENCH, { happening }, { subjectId: orgId, summary: 'Bench' });

await report(() =>
  withStack({ hasTemporal: true }, async (stack) => {
    const { db } = stack;
    const program = await stack.start(import.meta.resolve('./support/programs/relay.ts'));
    return [await latency(db, program), await backlog(db, program)];
  }),
);
