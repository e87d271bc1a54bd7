import { readFileSync } from 'node:fs';

const PACKAGE = new URL('../../package.json', import.meta.url);

/** What Node is given by `npm run api` or `npm run worker`: its flags, then the program's file. */
export function nodeArgsOf(script: 'api' | 'worker'): string[] {
  const { scripts } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { scripts: Record<typeof script, string> };
  return scripts[script].split(' ').slice(1);
}

/** The flags alone, for another program that is to run as that one does. */
export const nodeFlagsOf = (script: 'api' | 'worker'): string[] => nodeArgsOf(script).slice(0, -1);
