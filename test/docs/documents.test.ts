import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KEYBOARD } from '../../console/src/app/keyboard.ts';
import { DOCUMENTS, readDocument, withoutCode } from './documents.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAX_README_WORDS = 1_200;
const MAX_WORDS_PER_PARAGRAPH = 20;
const MIN_LINKS_INTO_DOCS = 5;
const MAX_LINES_PER_DECISION = 40;

const LINK = /\]\(([^)\s]+)\)/g;
const SOURCE_PATH = /`((?:src|workflows|activities|worker|test|bench|scripts|deploy)\/[\w./-]+\.\w+)`/g;
const WORKFLOW_KIND = /workflowId(?::|Of\w+ =) .*=> `([a-z-]+)\//g;

const allOf = (pattern: RegExp, text: string): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

/** The ids that GitHub gives to the headings of a document. */
const headingIdsIn = (text: string): string[] =>
  allOf(/^#+ (.+)$/gm, withoutCode(text)).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

const wordsIn = (text: string): number => text.split(/\s+/).filter((word) => /\w/.test(word)).length;

describe('the README', () => {
  const prose = withoutCode(readDocument('README.md'));

  it(`has at most ${MAX_README_WORDS} words without its code`, () => {
    expect(wordsIn(prose)).toBeLessThanOrEqual(MAX_README_WORDS);
  });

  it(`has at most ${MAX_WORDS_PER_PARAGRAPH} words a paragraph on average`, () => {
    const paragraphs = prose.split(/\n(?:\s*\n|(?=[-#|]))/).filter((text) => wordsIn(text) > 0 && !/^[#|]/.test(text));
    expect(paragraphs.reduce((sum, text) => sum + wordsIn(text), 0) / paragraphs.length).toBeLessThanOrEqual(
      MAX_WORDS_PER_PARAGRAPH,
    );
  });

  it(`has at least ${MIN_LINKS_INTO_DOCS} links into docs/`, () => {
    const links = allOf(LINK, prose).filter((link) => link.startsWith('docs/'));
    expect(new Set(links).size).toBeGreaterThanOrEqual(MIN_LINKS_INTO_DOCS);
  });
});

describe.each(DOCUMENTS)('%s', (path) => {
  const text = readDocument(path);

  it('links to files that exist', () => {
    const files = allOf(LINK, text)
      .filter((link) => !/^(?:https?|mailto):|^#/.test(link))
      .map((link) => join(dirname(path), link.replace(/#.*$/, '')));
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('links to headings that exist', () => {
    const missing = allOf(LINK, text)
      .filter((link) => !/^(?:https?|mailto):/.test(link) && link.includes('#'))
      .filter((link) => {
        const [file = '', heading = ''] = link.split('#');
        const target = file === '' ? path : join(dirname(path), file);
        return !headingIdsIn(readDocument(target)).includes(heading);
      });
    expect(missing).toEqual([]);
  });

  it('names source files that exist', () => {
    expect(allOf(SOURCE_PATH, text).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});

describe('docs/decisions', () => {
  const records = DOCUMENTS.filter((path) => /^docs\/decisions\/\d{4}-/.test(path));

  it('lists every record in its index, with its title', () => {
    const rows = allOf(/^\| \[\d{4}\](.+) \|$/gm, readDocument('docs/decisions/README.md'));
    expect(rows).toEqual(
      records.map((path) => {
        const [, title] = /^# \d+\. (.+)$/m.exec(readDocument(path)) ?? [];
        return `(${basename(path)}) | ${title}`;
      }),
    );
  });

  it.each(records)(`%s has at most ${MAX_LINES_PER_DECISION} lines`, (path) => {
    expect(readDocument(path).trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES_PER_DECISION);
  });
});

describe('the names that documents repeat', () => {
  it('are the kinds of all workflows in docs/operations.md', () => {
    const contracts = globSync('src/**/contract.ts', { cwd: ROOT }).map((file) =>
      readFileSync(join(ROOT, file), 'utf8'),
    );
    const kinds = allOf(/^\| `([a-z-]+)` \|/gm, readDocument('docs/operations.md'));
    expect(kinds.toSorted()).toEqual(contracts.flatMap((text) => allOf(WORKFLOW_KIND, text)).toSorted());
  });

  it('are the benches of the bench folder in CONTRIBUTING.md', () => {
    const files = readdirSync(join(ROOT, 'bench')).filter((name) => name.endsWith('.ts') && name !== 'main.ts');
    const [, list = ''] = /^Benches: (.+)\.$/m.exec(readDocument('CONTRIBUTING.md')) ?? [];
    expect(allOf(/`([a-z-]+)`/g, list).toSorted()).toEqual(files.map((file) => basename(file, '.ts')).toSorted());
  });
});

it('the documentation of the console names each key with what its help says', () => {
  const text = readFileSync(new URL('../../docs/console.md', import.meta.url), 'utf8');
  const documented = [...text.matchAll(/^\| `(.+?)` \| (.+) \|$/gm)].map(([, keys, does]) => [keys, does]);
  const shown = KEYBOARD.flatMap(({ shortcuts }) => shortcuts.map(({ keys, does }) => [keys, does]));
  expect(shown.length).toBeGreaterThan(20);
  expect(documented).toEqual(shown);
});
