import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';
import {
  type AutomationBench,
  countCompleted,
  inTurns,
  listLostTasks,
  seedWorkflow,
  startRunsAtOnce,
  withAutomations,
} from '../support/automation-runs.ts';
import { type Finding, limitFinding, note, rateFinding, report } from '../support/report.ts';

const RUNS = 400;
const ROUNDS = 5;
const STEADY_RUNS = 150;
const STEADY_INTERVAL_MS = 200;
const P99_LIMIT_MS = 500;

/** Starts five runs a second, and measures each from its acceptance to its end by the database's clock. */
async function atSteadyRate({ db, url }: AutomationBench): Promise<Finding> {
  const { orgId, workflowId } = await seedWorkflow(db, url);
  const starts: Promise<unknown>[] = [];
  for (let n = 0; n < STEADY_RUNS; n++) {
    starts.push(startRunsAtOnce(db, orgId, workflowId));
    await sleep(STEADY_INTERVAL_MS);
  }
  await Promise.all(starts);
  while ((await countCompleted(db, orgId)) < STEADY_RUNS) await sleep(20);
  const { p50, p99 } = await latencyOf(db, orgId);
  note(`five runs a second, from accepted to ended: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`);
  return limitFinding('automations, p99 from accepted to ended at 5 runs a second', {
    subject: `${p99.toFixed(0)} ms`,
    target: `< ${P99_LIMIT_MS} ms`,
    isMet: p99 < P99_LIMIT_MS,
  });
}

async function latencyOf(db: Db, orgId: string): Promise<{ p50: number; p99: number }> {
  const { rows } = await sql<{ p50: number; p99: number }>`
    select percentile_disc(0.5) within group (order by ms)::float8 as p50, percentile_disc(0.99) within group (order by ms)::float8 as p99
    from (
      select extract(epoch from run_ended_at - created_at) * 1000 as ms from automation_runs where org_id = ${orgId}
    ) as latency
  `.execute(db);
  return rows[0] ?? { p50: Number.NaN, p99: Number.NaN };
}

await report(() =>
  withAutomations(async (bench) => {
    const { ours, byHand } = bench;
    const rates = await inTurns([ours, byHand.activities, byHand.localActivities], { rounds: ROUNDS, runs: RUNS });
    const ratesOf = (name: string) => rates.get(name) ?? [];
    const ratios = ratesOf(ours.name).map((rate, n) => rate / (ratesOf(byHand.activities.name)[n] ?? Number.NaN));
    const steady = await atSteadyRate(bench);
    const lost = await listLostTasks(bench.client, 'runAutomation');
    if (lost.length > 0) note(`lost workflow tasks: ${lost.join(', ')}`);
    return [
      rateFinding(
        'automations / an activity a step, by hand',
        ratesOf(ours.name),
        ratesOf(byHand.activities.name),
        1.3,
      ),
      {
        name: 'automations / an activity a step, the slowest round',
        subject: '',
        baseline: '',
        ratio: Math.min(...ratios).toFixed(2),
        target: '≥ 1',
        isMet: Math.min(...ratios) >= 1,
      },
      steady,
      limitFinding('automations, workflow tasks that nobody took', {
        subject: String(lost.length),
        target: '0',
        isMet: lost.length === 0,
      }),
    ];
  }),
);
