import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { isCounter, type Sample, type Scrape } from './scrape.ts';

const RULES = fileURLToPath(new URL('../../../deploy/prometheus/switchboard.rules.yml', import.meta.url));
/** The longest range of the rules. */
const LENGTH_MINUTES = 60;
/** How long the state before a condition lasts. */
const BEFORE_MINUTES = 10;

interface Rule {
  alert: string;
  labels: { severity: string };
}

/** Whether promtool is installed. If not, a line says so. */
export function hasPromtool(): boolean {
  const isThere = spawnSync('promtool', ['--version']).error === undefined;
  if (!isThere) console.log('Alerts are not evaluated: promtool, of Debian’s package prometheus, is not installed');
  return isThere;
}

const RULES_TEXT = readFileSync(RULES, 'utf8');
export const ALERT_RULES = (load(RULES_TEXT) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);

/** Runs promtool's tests of a file. Returns what it prints about a failure, or undefined if all pass. */
export function failureOf(file: string): string | undefined {
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file]);
  return status === 0 ? undefined : `${String(stdout)}${String(stderr)}`;
}

/** A filter by labels, and the label sets that fire of it. */
interface Expectation {
  of: Record<string, string>;
  fire: Record<string, string>[];
}

/**
 * Has promtool evaluate the rules over the series of two scrapes, and compare the alerts that fire in the end. Returns the
 * difference, or undefined if there is none.
 */
export function compareAlerts(before: Scrape, after: Scrape, { of, fire }: Expectation): string | undefined {
  const firing = { ...of, alertstate: 'firing' };
  const test = {
    rule_files: [RULES],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: seriesOf(before, after),
        promql_expr_test: [
          {
            expr: `ALERTS${textOf(firing)}`,
            eval_time: `${LENGTH_MINUTES}m`,
            exp_samples: fire.map((labels) => ({ labels: `ALERTS${textOf({ ...firing, ...labels })}`, value: 1 })),
          },
        ],
      },
    ],
  };
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-alerts-'));
  const file = join(folder, 'scraped.test.yml');
  writeFileSync(file, JSON.stringify(test)); // YAML contains JSON
  try {
    return failureOf(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const textOf = (labels: Record<string, string>) =>
  `{${Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`)}}`;

/** Returns the series that the rules read: as first scraped for some minutes, then as scraped later for an hour. */
const seriesOf = (before: Scrape, after: Scrape) =>
  after.samples
    .filter(({ name, value }) => RULES_TEXT.includes(name) && !Number.isNaN(value))
    .map((sample) => {
      const first = before.samples.find(({ series }) => series === sample.series)?.value;
      const start = first ?? (isCounter(after, sample.name) ? 0 : undefined);
      const length = LENGTH_MINUTES - BEFORE_MINUTES;
      return {
        series: sample.series,
        values: `${start ?? '_'}x${BEFORE_MINUTES - 1} ${sample.value}+${riseOf(after, sample, start)}x${length}`,
      };
    });

/** Returns what a minute adds: a counter repeats its rise, an age grows with the clock, and other values remain. */
function riseOf(after: Scrape, { name, value }: Sample, start = 0): number {
  if (isCounter(after, name)) return value - start;
  return name.endsWith('_oldest_seconds') && value > 0 ? 60 : 0;
}
