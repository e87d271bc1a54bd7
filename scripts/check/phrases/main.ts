import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { type Baseline, type Finding, findPhrases, lowered, risen } from './count.ts';

/** Compares the turns of phrase in prose with the stored counts. `--lower` stores counts that fell, and `--list` prints all places. */

const BASELINE_FILE = new URL('./baseline.json', import.meta.url);
const PROSE = [
  '{src,workflows,activities,worker}/**/*.ts',
  'console/src/**/*.{ts,tsx}',
  'test/**/*.test.ts',
  'docs/**/*.md',
  '*.md',
];
/** Versions that are released keep their words. */
const EXCLUDED = ['CHANGELOG.md'];

/** The files that differ from the commit of the stored counts: a new phrase is in one of them. */
function changedFiles(): Set<string> {
  const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8' }).stdout ?? '';
  const since = git('log', '-1', '--format=%H', '--', 'scripts/check/phrases/baseline.json').trim();
  const changed = since === '' ? '' : git('diff', '--name-only', since);
  return new Set(`${changed}${git('ls-files', '--others', '--exclude-standard')}`.split('\n'));
}

function complain({ name, advice, places }: Finding, stored: number): void {
  console.log(`"${name}" occurs ${places.length} times, and ${stored} are stored. Better: ${advice}.`);
  const changed = changedFiles();
  const recent = places.filter((place) => changed.has(place.replace(/:\d+$/, '')));
  for (const place of recent.length > 0 ? recent : places) console.log(`  ${place}`);
}

const paths = globSync(PROSE).filter((path) => !EXCLUDED.includes(path));
const findings = findPhrases(paths.toSorted().map((path) => ({ path, text: readFileSync(path, 'utf8') })));
const baseline: Baseline = JSON.parse(readFileSync(BASELINE_FILE, 'utf8'));

if (process.argv.includes('--list')) for (const { name, places } of findings) console.log(name, places.join('\n  '));
if (process.argv.includes('--lower')) {
  writeFileSync(BASELINE_FILE, `${JSON.stringify(lowered(findings, baseline), null, 2)}\n`);
}
const tooMany = risen(findings, baseline);
for (const finding of tooMany) complain(finding, baseline[finding.name] ?? 0);
console.log(`Checked ${paths.length} files for ${findings.length} turns of phrase`);
process.exitCode = tooMany.length === 0 ? 0 : 1;
