import { readFileSync } from 'node:fs';

const PACKAGE = new URL('../../package.json', import.meta.url);

/** Returns Node's arguments in `npm run api` or `npm run worker`: its flags, then the program's file. */
export function nodeArgsOf(script: 'api' | 'worker'): string[] {
  const { scripts } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { scripts: Record<typeof script, string> };
  return scripts[script].split(' ').slice(1);
}

/** Returns Node's flags in `npm run api` or `npm run worker`, for another program with the same settings. */
export const nodeFlagsOf = (script: 'api' | 'worker'): string[] => nodeArgsOf(script).slice(0, -1);
