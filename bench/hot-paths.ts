import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ownFolder } from './support/own-folder.ts';
import { type Program, startProgram } from './support/processes.ts';
import type { HotPathRound } from './support/programs/hot-paths.ts';
import { type Finding, limitFinding, median, note, report, timeFinding } from './support/report.ts';

// The processor time of an event that goes to one endpoint, of a contact's message, and of an AI turn by quotes. With
// BENCH_BASE, the folder of another build that has this bench too, rounds of both alternate.
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const { BENCH_BASE, BENCH_PATHS } = process.env;
const OWN_FOLDER = resolve(import.meta.dirname, '..');
const STEADY_PER_SECOND = 50;
const MAX_STEADY_P50_MS = 2.5;

interface HotPath {
  question: string;
  input: { count: number; perSecond?: number };
  /** At most this share of the other build's processor time, and of its median time. */
  maxCpu: number;
  maxP50?: number;
  /** Its median time, at most. */
  maxP50Ms?: number;
}

const PATHS: Record<string, HotPath> = {
  'event to an endpoint, under load': {
    question: 'webhooksUnderLoad',
    input: { count: 2_000 },
    maxCpu: 0.5,
  },
  'event to an endpoint, 50/s': {
    question: 'webhooksAtRate',
    input: { count: 400, perSecond: STEADY_PER_SECOND },
    maxCpu: 0.5,
    maxP50Ms: MAX_STEADY_P50_MS,
  },
  'contact’s message': { question: 'messages', input: { count: 3_000 }, maxCpu: 0.6, maxP50: 0.6 },
  'AI turn by quotes': { question: 'turns', input: { count: 150 }, maxCpu: 0.5 },
};

interface Side {
  name: string;
  program: Program;
  rounds: Map<string, HotPathRound[]>;
}

const { folder, guard } = ownFolder('hot');

async function startSide(name: string, root: string): Promise<Side> {
  const file = pathToFileURL(join(root, 'bench/support/programs/hot-paths.ts')).href;
  const program = await startProgram(file, {}, { logFile: join(folder, `${name}.log`), guard });
  return { name, program, rounds: new Map() };
}

const cpuOf = ({ cpu }: HotPathRound): number => Object.values(cpu).reduce((sum, ms) => sum + ms, 0);

const describe = (round: HotPathRound): string =>
  `${round.rate.toFixed(0)}/s, p50 ${round.p50.toFixed(1)} ms, p95 ${round.p95.toFixed(1)} ms, CPU ${cpuOf(round).toFixed(2)} ms (` +
  `${Object.entries(round.cpu)
    .map(([program, ms]) => `${program} ${ms.toFixed(2)}`)
    .join(', ')})`;

async function runRound({ name, program, rounds }: Side, path: string, { question, input }: HotPath, isKept: boolean) {
  const round = await program.ask<HotPathRound>(question, input);
  if (!isKept) return;
  rounds.set(path, [...(rounds.get(path) ?? []), round]);
  note(`${path}, ${name}: ${describe(round)}`);
}

function findingsOf(path: string, { maxCpu, maxP50, maxP50Ms }: HotPath, own: Side, base?: Side): Finding[] {
  const figure = (side: Side, read: (round: HotPathRound) => number) => median((side.rounds.get(path) ?? []).map(read));
  const ofBase = base && {
    cpu: timeFinding(`${path}, CPU / the other build`, figure(own, cpuOf), figure(base, cpuOf), maxCpu),
    p50: timeFinding(`${path}, p50 / the other build`, figure(own, p50Of), figure(base, p50Of), maxP50 ?? 1),
  };
  const p50 = figure(own, p50Of);
  return [
    ...(ofBase ? [ofBase.cpu] : []),
    ...(ofBase && maxP50 !== undefined ? [ofBase.p50] : []),
    ...(maxP50Ms === undefined
      ? []
      : [
          limitFinding(`${path}, p50`, {
            subject: `${p50.toFixed(1)} ms`,
            target: `≤ ${maxP50Ms} ms`,
            isMet: p50 <= maxP50Ms,
          }),
        ]),
  ];
}

const p50Of = ({ p50 }: HotPathRound): number => p50;

await report(async () => {
  const own = await startSide('this build', OWN_FOLDER);
  const base = BENCH_BASE === undefined ? undefined : await startSide('the other', resolve(BENCH_BASE));
  const paths = Object.entries(PATHS).filter(([, { question }]) => BENCH_PATHS?.split(',').includes(question) ?? true);
  for (const [path, one] of paths)
    for (let round = 0; round <= ROUNDS; round++) {
      await runRound(own, path, one, round > 0);
      if (base !== undefined) await runRound(base, path, one, round > 0);
    }
  for (const side of [own, base]) await side?.program.ask('stop').catch(() => undefined);
  await guard.close();
  return paths.flatMap(([path, one]) => findingsOf(path, one, own, base));
});
