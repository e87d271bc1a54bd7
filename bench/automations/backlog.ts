import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AutomationBench,
  countCompleted,
  inTurns,
  seedWorkflow,
  startRunsAtOnce,
  withAutomations,
} from '../support/automation-runs.ts';
import { type Finding, limitFinding, note, percentile, rateFinding, report } from '../support/report.ts';

const RUNS = 1_000;
const ROUNDS = 5;
const FLOOD = 10_000;
const FLOOD_LIMIT_S = 104;
const MEMORY_LIMIT_MB = 800;
const LATE_LIMIT_MS = 1_000;

/** Starts 10,000 runs of one org at once, and measures single runs of another org until they have ended. */
async function underFlood({ db, worker, url }: AutomationBench): Promise<Finding[]> {
  const flooded = await seedWorkflow(db, url);
  const other = await seedWorkflow(db, url);
  const begun = performance.now();
  await startRunsAtOnce(db, flooded.orgId, flooded.workflowId, FLOOD);
  const late: number[] = [];
  while ((await countCompleted(db, flooded.orgId)) < FLOOD) {
    const asked = performance.now();
    await startRunsAtOnce(db, other.orgId, other.workflowId);
    while ((await countCompleted(db, other.orgId)) <= late.length) await sleep(5);
    late.push(performance.now() - asked);
    await sleep(500);
  }
  const seconds = (performance.now() - begun) / 1000;
  const peakMb = worker.peakMemoryMb();
  note(`${FLOOD} runs at once ended in ${seconds.toFixed(0)} s; worker at most ${peakMb.toFixed(0)} MB`);
  note(`single runs of another org meanwhile: ${late.map((ms) => ms.toFixed(0)).join(', ')} ms`);
  const limit = (name: string, subject: number, atMost: number, unit: string): Finding =>
    limitFinding(name, {
      subject: `${subject.toFixed(0)} ${unit}`,
      target: `≤ ${atMost} ${unit}`,
      isMet: subject <= atMost,
    });
  return [
    limit(`automations, ${FLOOD} runs at once`, seconds, FLOOD_LIMIT_S, 's'),
    limit(`automations, ${FLOOD} runs at once, memory of the worker`, peakMb, MEMORY_LIMIT_MB, 'MB'),
    limit("automations, another org's single run meanwhile, p95", percentile(late, 95), LATE_LIMIT_MS, 'ms'),
  ];
}

await report(() =>
  withAutomations(async (bench) => {
    const { ours, byHand } = bench;
    const rates = await inTurns([ours, byHand.localActivities], { rounds: ROUNDS, runs: RUNS });
    const ratesOf = (name: string) => rates.get(name) ?? [];
    const finding = rateFinding(
      'automations, a backlog / local activities, by hand',
      ratesOf(ours.name),
      ratesOf(byHand.localActivities.name),
      4,
    );
    return [finding, ...(await underFlood(bench))];
  }),
);
