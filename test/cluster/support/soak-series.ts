import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { sql } from 'kysely';
import { parentOf } from '../../../src/dev/processes.ts';
import type { Cluster } from './cluster.ts';

const KIB_A_MIB = 1024;
const EVERY_MS = 5_000;

/** What was measured at a time. */
export interface Sample {
  /** Since the start. */
  seconds: number;
  /** Memory of each running program with its children, in MiB: the proportional set size. */
  memory: Record<string, number>;
  /** Of the oldest row, in seconds. Undefined while Postgres is away. */
  outboxAge: number | undefined;
}

/** Measures every five seconds until it is stopped. */
export function startSeries({ programs, db }: Cluster) {
  const samples: Sample[] = [];
  const begin = performance.now();
  const measure = async () => {
    const running = Object.entries(programs).filter(([, program]) => program.isRunning());
    const memory = Object.fromEntries(running.map(([name, program]) => [name, memoryOf(program.pid())]));
    const outboxAge = await ageOf(db).catch(() => undefined);
    samples.push({ seconds: Math.round((performance.now() - begin) / 1000), memory, outboxAge });
  };
  const timer = setInterval(() => void measure(), EVERY_MS);
  return {
    samples,
    stop() {
      clearInterval(timer);
      return samples;
    },
  };
}

async function ageOf(db: Cluster['db']): Promise<number> {
  const { rows } = await sql<{ age: number }>`
    select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as age from outbox`.execute(db);
  return rows[0]?.age ?? 0;
}

/** In MiB. Ended children count as nothing. */
function memoryOf(pid: number): number {
  const children = readdirSync('/proc')
    .map(Number)
    .filter((child) => Number.isInteger(child) && parentOf(child) === pid);
  const kib = [pid, ...children].map((each) => {
    try {
      return Number(/^Pss: +(\d+)/m.exec(readFileSync(`/proc/${each}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      return 0; // it ended
    }
  });
  return Math.round(kib.reduce((sum, each) => sum + each, 0) / KIB_A_MIB);
}

const COLUMNS = 6;
const POINTS = 30;

/** Returns the middle and the last third of the time. */
export function thirdsOf(samples: Sample[]): [Sample[], Sample[]] {
  const [, middle = [], last = []] = partsOf(samples, 3);
  return [middle, last];
}

function partsOf(samples: Sample[], count: number): Sample[][] {
  const length = Math.ceil(samples.length / count);
  return Array.from({ length: count }, (_, n) => samples.slice(n * length, (n + 1) * length)).filter(
    (part) => part.length > 0,
  );
}

/** Returns the memory of the product's programs over time as a chart of Mermaid: a line each. */
export function chartOf(samples: Sample[]): string {
  const parts = partsOf(samples, POINTS);
  const names = Object.keys(samples[0]?.memory ?? {}).filter((name) => /^(api|worker)/.test(name));
  const lines = names.map((name) => parts.map((part) => median(part.map(({ memory }) => memory[name])) ?? 0));
  const last = Math.round((samples.at(-1)?.seconds ?? 0) / 60);
  return [
    '```mermaid',
    'xychart-beta',
    `  title "Memory of ${names.join(', ')}"`,
    `  x-axis "minutes" 0 --> ${last}`,
    `  y-axis "MiB" 0 --> ${Math.ceil(Math.max(...lines.flat()) / 100) * 100}`,
    ...lines.map((values) => `  line [${values.join(', ')}]`),
    '```',
  ].join('\n');
}

/** Returns a Markdown table of the series: the medians of each sixth of the time. */
export function tableOf(samples: Sample[]): string {
  const parts = partsOf(samples, COLUMNS);
  const names = [...new Set(samples.flatMap(({ memory }) => Object.keys(memory)))];
  const row = (name: string, value: (sample: Sample) => number | undefined, digits = 0) =>
    `| ${name} | ${parts.map((part) => median(part.map(value))?.toFixed(digits) ?? '–').join(' | ')} |`;
  return [
    `| until minute | ${parts.map((part) => ((part.at(-1)?.seconds ?? 0) / 60).toFixed(1)).join(' | ')} |`,
    `|---|${parts.map(() => '---:').join('|')}|`,
    ...names.map((name) => row(`${name}, MiB`, ({ memory }) => memory[name])),
    row('oldest row of the outbox, s', ({ outboxAge }) => outboxAge, 1),
    '',
  ].join('\n');
}

export function median(values: (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  return known[Math.floor(known.length / 2)];
}

/** Prints a report, and writes it to the file of SOAK_REPORT if that is set. */
export function report(text: string): void {
  console.log(text);
  if (process.env.SOAK_REPORT) writeFileSync(process.env.SOAK_REPORT, text);
}
