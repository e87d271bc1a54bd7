import { globSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);
const CODE_BLOCK = /^```(\w*)\n(.*?)^```$/gms;
/** The file of keys that `npm start` writes. What a document has before it reads them is about the machine. */
const KEYS_FILE = '.data/dev.json';

/** The paths of all documents of the repository. */
export const DOCUMENTS = globSync(['*.md', '.github/**/*.md', 'docs/**/*.md'], { cwd: ROOT }).toSorted();

export const readDocument = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

export const withoutCode = (text: string): string => text.replaceAll(CODE_BLOCK, '');

/** Commands of a document, and what it says that they print. */
export interface Example {
  commands: string;
  output: string | undefined;
}

/**
 * The `sh` blocks of a document from the one that reads the keys on. A block without a language behind one of them is
 * its output.
 */
export function examplesOf(text: string): Example[] {
  const blocks = [...text.matchAll(CODE_BLOCK)].map(([, language = '', code = '']) => ({ language, code }));
  const first = blocks.findIndex(({ code }) => code.includes(KEYS_FILE));
  if (first === -1) return [];
  const fromKeys = blocks.slice(first);
  return fromKeys.flatMap(({ language, code }, n) => {
    const next = fromKeys[n + 1];
    return language === 'sh' ? [{ commands: code, output: next?.language === '' ? next.code : undefined }] : [];
  });
}
