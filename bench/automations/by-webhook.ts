import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { forEachConcurrently } from '../../src/concurrency/limited.ts';
import type { Db } from '../../src/db/connect.ts';
import { anyFreePort } from '../../src/dev/ports.ts';
import { countCompleted, seedWorkflow } from '../support/automation-runs.ts';
import { limitFinding, median, note, percentile, report } from '../support/report.ts';
import { withStack } from '../support/stack.ts';

const EGRESS_ALLOW = '127.0.0.0/8';
const UNLIMITED = '1000000';
const WARM_UP_RUNS = 200;
const RUNS = 400;
const ROUNDS = 5;
const CONNECTIONS = 20;
const SINGLE_RUNS = 40;
const CPU_LIMIT_MS = 6;
const ALONE_LIMIT_MS = 20;
/** A pause in which everything finishes the work left by the round before. */
const SETTLE_MS = 1_500;
const TICK_MS = 10;

const ORDER = JSON.stringify({ total: 250 });

/** Returns a process's fields of proc_pid_stat(5), from the state on. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Returns the processor time of a process in ms, with that of its ended children. */
const cpuMsOf = (pid: number): number =>
  statOf(pid)
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0);

/** Returns the ids of the processes of a program below a process. */
function childrenOf(parent: number, program: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
    .filter((pid) => {
      try {
        return Number(statOf(pid)[1]) === parent && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(program);
      } catch {
        return false; // it has ended
      }
    });
}

/** Returns the processor time of Postgres in ms: of its first process, and of those of the connections. */
function cpuMsOfPostgres(): number {
  const [first = 0] = childrenOf(process.pid, 'postgres');
  return [first, ...childrenOf(first, 'postgres')].reduce((sum, pid) => sum + cpuMsOf(pid), 0);
}

/** Returns the id of the run. */
async function post(url: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: ORDER });
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  return ((await response.json()) as { run_id: string }).run_id;
}

const hasCompleted = async (db: Db, orgId: string, runId: string): Promise<boolean> => {
  const { rows } = await sql`
    select from automation_runs where org_id = ${orgId} and id = ${runId} and status = 'completed'
  `.execute(db);
  return rows.length > 0;
};

async function webhookPathOf(db: Db, orgId: string): Promise<string> {
  const { rows } = await sql<{ path: string }>`
    select '/hooks/workflows/' || id || '/' || webhook_token as path from automations where org_id = ${orgId}
  `.execute(db);
  return rows[0]?.path ?? '';
}

/** Returns the medians of the stages of the last single runs. */
async function stagesOf(db: Db, orgId: string): Promise<string> {
  const { rows } = await sql<{ queued: number; called: number; ended: number }>`
    select percentile_disc(0.5) within group (order by 1000 * extract(epoch from run_started_at - created_at))::float8 as queued,
      percentile_disc(0.5) within group (order by 1000 * extract(epoch from begun - run_started_at))::float8 as called,
      percentile_disc(0.5) within group (order by 1000 * extract(epoch from run_ended_at - begun))::float8 as ended
    from (
      select *, (
        select max(started_at) from automation_steps as step where step.org_id = run.org_id and step.run_id = run.id
      ) as begun from automation_runs as run where org_id = ${orgId} order by created_at desc limit ${SINGLE_RUNS}
    ) as single
  `.execute(db);
  const { queued, called, ended } = rows[0] ?? { queued: 0, called: 0, ended: 0 };
  return `${queued} ms to its claim, ${called} ms to its call, ${ended} ms to its end`;
}

await report(() =>
  withStack({ hasTemporal: true }, async ({ db, start }) => {
    const sink = await start(import.meta.resolve('../support/programs/http-sink.ts'));
    const sinkUrl = await sink.ask<string>('url');
    const env = { EGRESS_ALLOW, DEVELOPMENT: 'true', RATE_LIMIT_STANDARD: UNLIMITED, RATE_LIMIT_ADDRESS: UNLIMITED };
    const worker = await start(import.meta.resolve('../../worker/main.ts'), env, 'worker');
    const port = await anyFreePort();
    const apiEnv = { ...env, PORT: String(port), RATE_LIMIT_STORE: 'memory' };
    const api = await start(import.meta.resolve('../../src/api/main.ts'), apiEnv, 'api');
    const { orgId } = await seedWorkflow(db, sinkUrl);
    const url = `http://127.0.0.1:${port}${await webhookPathOf(db, orgId)}`;
    let wanted = 0;
    const untilDone = async () => {
      while ((await countCompleted(db, orgId)) < wanted) await sleep(10);
    };
    const [temporal = 0] = childrenOf(process.pid, 'start-dev');
    const cpuNow = () => ({
      api: api.cpuMs(),
      worker: worker.cpuMs(),
      temporal: cpuMsOf(temporal),
      postgres: cpuMsOfPostgres(),
    });
    const run = async (runs: number) => {
      const [begun, before] = [performance.now(), cpuNow()];
      wanted += runs;
      await forEachConcurrently(Array.from({ length: runs }), CONNECTIONS, async () => void (await post(url)));
      const accepted = performance.now() - begun;
      await untilDone();
      const done = performance.now() - begun;
      await sleep(SETTLE_MS);
      const after = cpuNow();
      const cpu = Object.entries(before).map(
        ([name, ms]) => [name, ((after[name as keyof typeof after] ?? 0) - ms) / runs] as const,
      );
      const all = cpu.reduce((sum, [, ms]) => sum + ms, 0);
      note(
        `accepted ${((runs / accepted) * 1000).toFixed(0)}/s, done ${((runs / done) * 1000).toFixed(0)}/s; CPU a run ${all.toFixed(1)} ms: ` +
          cpu.map(([name, ms]) => `${name} ${ms.toFixed(1)}`).join(', '),
      );
      return all;
    };
    while (
      !(await fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      await sleep(50);
    await run(WARM_UP_RUNS);
    const cpu: number[] = [];
    for (let round = 0; round < ROUNDS; round++) cpu.push(await run(RUNS));
    const alone: number[] = [];
    for (let n = 0; n < SINGLE_RUNS; n++) {
      const begun = performance.now();
      const runId = await post(url);
      while (!(await hasCompleted(db, orgId, runId))) await sleep(1);
      alone.push(performance.now() - begun);
      await sleep(100);
    }
    const p50 = percentile(alone, 50);
    note(`of which by the database's clock: ${await stagesOf(db, orgId)}`);
    const limit = (name: string, ms: number, most: number) =>
      limitFinding(name, { subject: `${ms.toFixed(1)} ms`, target: `≤ ${most} ms`, isMet: ms <= most });
    return [
      limit('automations by webhook, processor time a run of all programs', median(cpu), CPU_LIMIT_MS),
      limit('automations by webhook, one alone, p50 to its end', p50, ALONE_LIMIT_MS),
    ];
  }),
);
