import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { runOurs } from '../support/automation-runs.ts';
import type { Program } from '../support/processes.ts';
import { type Finding, median, note, rateFinding, report } from '../support/report.ts';
import { type Stack, withStack } from '../support/stack.ts';

const MOST_WORKERS = 3;
const RUNS = 2_000;
const WARM_UP_RUNS = 100;
const ROUNDS = 3;
const SETTLE_MS = 3_000;
const ENV = { EGRESS_ALLOW: '127.0.0.0/8', DEVELOPMENT: 'true' };
/** Two workers, Postgres, Temporal and what starts the runs, each with a core. */
const ENOUGH_CORES = 6;

/** Measures runs with one, two and three workers, in turns. Returns the rates of each round, by the number of workers. */
async function ratesByWorkers(stack: Stack): Promise<number[][]> {
  const sink = await stack.start(import.meta.resolve('../support/programs/http-sink.ts'));
  const url = await sink.ask<string>('url');
  const rates: number[][] = Array.from({ length: MOST_WORKERS }, () => []);
  for (let round = 1; round <= ROUNDS; round++) {
    const workers: Program[] = [];
    for (const of of rates) {
      workers.push(await stack.start('worker', ENV));
      await runOurs(stack.db, workers, url, WARM_UP_RUNS);
      await sleep(SETTLE_MS);
      const { rate, cpuMsARun } = await runOurs(stack.db, workers, url, RUNS);
      of.push(rate);
      note(`round ${round}: ${workers.length} workers ${rate.toFixed(0)}/s at ${cpuMsARun.toFixed(1)} ms`);
    }
    for (const worker of workers) await worker.stop();
  }
  return rates;
}

await report(async (): Promise<Finding[]> => {
  const rates = await withStack({ hasTemporal: true }, ratesByWorkers);
  note(`runs a second: ${rates.map((of, n) => `${n + 1} ${median(of).toFixed(0)}`).join(', ')}`);
  const cores = availableParallelism();
  if (cores < ENOUGH_CORES) note(`${cores} cores are too few for a target: it needs ${ENOUGH_CORES}`);
  const [one = [], ...more] = rates;
  return more.map((of, n) =>
    rateFinding(`automations, ${n + 2} workers / one`, of, one, cores < ENOUGH_CORES || n > 0 ? 0 : 1.7),
  );
});
