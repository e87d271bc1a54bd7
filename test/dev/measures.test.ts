import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { callGraphOf } from '../../scripts/measures/calls.ts';
import { forwardersOf, reexportingFilesOf } from '../../scripts/measures/forwarders.ts';
import { countCasts, namedFunctionsOf } from '../../scripts/measures/functions.ts';
import { upwardArrowsOf } from '../../scripts/measures/layers.ts';
import { sourceOf } from '../../scripts/measures/sources.ts';
import { measureWalks } from '../../scripts/measures/walks.ts';

const treeOf = (files: Record<string, string>) => {
  const sources = Object.entries(files).map(([path, text]) => sourceOf(path, text));
  const functions = namedFunctionsOf(sources);
  return { sources, functions, graph: callGraphOf(sources, functions) };
};

describe('the measures of the tree', () => {
  it('a forwarder is an exported function that only calls another one with its own parameters', () => {
    const { functions, graph } = treeOf({
      'src/ai/a.ts': `
        import { work } from '../orgs/b.ts';
        export const same = (a: string, b: string) => work(a, b);
        export async function fewer(a: string, b: string) { return await work(a); }
        export const adds = (a: string) => work(a, 'b');
        export const changes = (a: string) => work(a.trim());
        export const ofALibrary = (a: string) => String(a);
        const notExported = (a: string) => work(a);
      `,
      'src/orgs/b.ts': 'export function work(a: string, b?: string) { return a + b; }',
    });
    expect(forwardersOf(functions, graph).map(({ name }) => name)).toEqual(['same', 'fewer']);
  });

  it('a file without its own code only exports again', () => {
    const { sources } = treeOf({
      'src/ai/a.ts': "export { work } from '../orgs/b.ts';",
      'src/ai/c.ts': "export { work } from '../orgs/b.ts';\nexport const own = 1;",
      'src/ai/d.ts': "import '../orgs/b.ts';",
    });
    expect(reexportingFilesOf(sources).map(({ path }) => path)).toEqual(['src/ai/a.ts']);
  });

  it('casts are counted without as const', () => {
    const { sources } = treeOf({ 'src/ai/a.ts': 'const a = [1] as const; const b = <string>(a as unknown);' });
    expect(countCasts(sources)).toBe(2);
  });

  it('an import of a higher domain or of the edge leads up, and one of the ground does not', () => {
    const { sources } = treeOf({
      'src/contacts/a.ts':
        "import '../ai/b.ts';\nimport type { A } from '../api/edge/c.ts';\nimport '../db/d.ts';\nimport '../keys/e.ts';",
      'src/db/d.ts': "import '../keys/e.ts';",
    });
    expect(upwardArrowsOf(sources).map(({ from, to }) => [from, to])).toEqual([
      ['src/contacts/a.ts', 'src/ai/b.ts'],
      ['src/contacts/a.ts', 'src/api/edge/c.ts'],
      ['src/db/d.ts', 'src/keys/e.ts'],
    ]);
  });

  it('a walk returns where it enters a room again, and the ground is no room', () => {
    const { graph } = treeOf({
      'src/ai/turns/a.ts': `
        import { read } from '../settings/b.ts';
        import { query } from '../../db/d.ts';
        export function begin() { query(); read(); end(); }
        export function end() {}
      `,
      'src/ai/settings/b.ts': "import { look } from '../turns/c.ts';\nexport const read = () => look();",
      'src/ai/turns/c.ts': "import { deep } from '../settings/b2.ts';\nexport const look = () => deep();",
      'src/ai/settings/b2.ts': 'export const deep = () => 1;',
      'src/db/d.ts': 'export const query = () => 1;',
    });
    const walks = [{ name: 'a walk', legs: [['ai#begin', 'ai#end'] as `${string}#${string}`[]] }];
    expect(measureWalks(graph, walks)).toEqual([{ name: 'a walk', returnsOfReader: 1, returnsOfAll: 3, functions: 6 }]);
  });

  it('all are printed for this tree', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['scripts/measures.ts']);
    const rows = stdout.trim().split('\n').slice(2);
    expect(rows.length).toBeGreaterThan(15);
    for (const row of rows) expect(row).toMatch(/^\| .+ \| \d.* \|$/);
  });
});
