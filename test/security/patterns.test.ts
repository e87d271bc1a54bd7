import { globSync, readFileSync } from 'node:fs';
import { createContext, Script } from 'node:vm';
import { type AttackPattern, check } from 'recheck';
import ts from 'typescript';

const IS_LONG = process.env.TEST_TIER === 'long';
/** Patterns that recheck has found to be safe, or the measurement fast. The long tier checks them again. */
const SAFE = new Set<string>(JSON.parse(readFileSync(new URL('./safe-patterns.json', import.meta.url), 'utf8')));
const FOLDERS = '{src,worker,workflows,activities}/**/*.ts';
const CHECK_TIMEOUT_MS = 500;
/** A pattern with a bound must be decided. */
const BOUNDED_CHECK_TIMEOUT_MS = 20_000;
/** A process waits for its turn beside other tests. */
const MEASURE_TIMEOUT_MS = 3_000;
const TIMEOUT_MS = 300_000;
/** The longest that a pattern may hold the event loop. */
const MAX_MS = 100;

/** Patterns that take more than linear time, with the longest text that reaches them. */
const MAX_LENGTHS: Record<string, number> = {
  'src/automations/interpreter/operators.rules.ts NUMBER': 100,
  'src/automations/triggers/form.rules.ts EMAIL': 320,
  'src/orgs/integrations/schema.ts Host': 253,
  'src/orgs/schema.ts WEBSITE': 2_048,
};

interface Pattern {
  file: string;
  name: string;
  source: string;
  flags: string;
}

/** Returns every literal pattern of a file, each with the name that its value gets. */
function patternsIn(file: string): Pattern[] {
  const root = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Pattern[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? [];
      found.push({ file, name: nameAround(node), source, flags });
    }
    ts.forEachChild(node, visit);
  };
  visit(root);
  return found;
}

/** Returns the name of the innermost variable, property or function around a node. */
function nameAround(node: ts.Node): string {
  for (let at: ts.Node | undefined = node.parent; at !== undefined; at = at.parent) {
    if (ts.isPropertyAccessExpression(at)) continue;
    const { name } = at as { name?: ts.Node };
    if (name !== undefined && ts.isIdentifier(name)) return name.text;
  }
  return '';
}

/** Returns the time of a pattern for the worst text of this length, in milliseconds. */
function timeOf(source: string, flags: string, { pumps, suffix }: AttackPattern, length: number): number {
  const once = pumps.reduce((sum, { prefix }) => sum + prefix.length, suffix.length);
  const repeated = pumps.reduce((sum, { pump }) => sum + pump.length, 0);
  const times = Math.max(0, Math.floor((length - once) / repeated));
  const text = pumps.map(({ prefix, pump }) => prefix + pump.repeat(times)).join('') + suffix;
  const pattern = new RegExp(source, flags.replace(/[gy]/g, ''));
  return bestTime(pattern, text);
}

/** Returns the least of three times of a pattern, in milliseconds: a pause of the process is not the pattern's. */
function bestTime(pattern: RegExp, text: string): number {
  return Math.min(...[1, 2, 3].map(() => timeOfOne(pattern, text)));
}

const sandbox = createContext({ pattern: /x/, text: '' });
const script = new Script('pattern.test(text)');

/** Returns the processor's milliseconds for a pattern and a text, or infinity where they are too many. */
function timeOfOne(pattern: RegExp, text: string): number {
  const begun = process.threadCpuUsage();
  try {
    Object.assign(sandbox, { pattern, text });
    script.runInContext(sandbox, { timeout: MEASURE_TIMEOUT_MS });
  } catch {
    return Number.POSITIVE_INFINITY;
  }
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1_000;
}

/** Short texts, and twice as long ones: the time of a slow pattern grows at least fourfold. */
const LENGTHS = [8_000, 16_000] as const;
const GROWTH = 3;
const FAST_MS = 50;

/** Returns texts that a pattern may read again and again: its own characters and words, and each beside another. */
function pumpsOf(source: string): string[] {
  const words = source.match(/[\w -]{2,10}/g) ?? [];
  const characters = [...new Set([...source.replace(/\\[a-z]/gi, ''), ...'a0 .-<([{"=&#\t\n'])];
  const pairs = characters.flatMap((one) => characters.slice(0, 12).map((other) => one + other));
  return [...new Set([...characters, ...pairs, ...words])];
}

/** Returns the pump with which the time of a pattern grows faster than the text, or undefined. */
function slowPumpOf(source: string, flags: string): string | undefined {
  const pattern = new RegExp(source, flags.replace(/[gy]/g, ''));
  return pumpsOf(source).find((pump) => {
    const [short, long] = LENGTHS.map((length) => `${pump.repeat(length / pump.length)}\u{1}`) as [string, string];
    const first = timeOfOne(pattern, long);
    if (!Number.isFinite(first)) return true;
    if (first < FAST_MS) return false;
    const took = bestTime(pattern, long);
    return took > FAST_MS && took > GROWTH * bestTime(pattern, short);
  });
}

it('the measurement finds what recheck cannot decide', () => {
  expect(slowPumpOf('\\s+$', '')).toBe(' ');
  expect(slowPumpOf('^(a+)+-$', '')).toBe('a');
  expect(slowPumpOf('^[a-z]+-$', '')).toBeUndefined();
});

describe('a pattern of the source', () => {
  const patterns = globSync(FOLDERS).flatMap(patternsIn);

  it(
    'takes linear time, or reads only a text too short to hold anybody up',
    async () => {
      expect(patterns.length).toBeGreaterThan(300);
      const slow: string[] = [];
      const unused = new Set(Object.keys(MAX_LENGTHS));
      for (const { file, name, source, flags } of patterns) {
        if (!IS_LONG && SAFE.has(`/${source}/${flags}`)) continue;
        const most = MAX_LENGTHS[`${file} ${name}`];
        const timeout = most === undefined ? CHECK_TIMEOUT_MS : BOUNDED_CHECK_TIMEOUT_MS;
        const result = await check(source, flags, { timeout });
        if (result.status === 'safe') continue;
        const place = `${file} ${name} /${source}/${flags}`;
        if (result.status === 'unknown') {
          const pump = slowPumpOf(source, flags);
          if (pump !== undefined) slow.push(`${place}: repeats of ${JSON.stringify(pump)}`);
          continue;
        }
        unused.delete(`${file} ${name}`);
        const { attack } = result;
        const took = timeOf(source, flags, attack, most ?? LENGTHS[1]);
        const isLinear = took < FAST_MS || took < GROWTH * timeOf(source, flags, attack, LENGTHS[0]);
        if (most === undefined ? !isLinear : took > MAX_MS) slow.push(`${place}: ${took} ms`);
      }
      expect(slow).toEqual([]);
      expect([...unused]).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
