import { readFileSync } from 'node:fs';

const PACKAGE = new URL('../../package.json', import.meta.url);

/** How a script of package.json starts Node. */
export interface NodeProgram {
  /** The variables set by the script. */
  env: Record<string, string>;
  /** Node's flags. */
  flags: string[];
  /** The program's file. */
  file: string;
}

/** Returns how `npm run api` or `npm run worker` starts its program. */
export function programOf(script: 'api' | 'worker'): NodeProgram {
  const { scripts } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { scripts: Record<typeof script, string> };
  const [variables = '', command = ''] = scripts[script].split(/(?:^| )node /);
  const assignments = variables.split(' ').filter((word) => word !== '');
  const words = command.split(' ');
  return {
    env: Object.fromEntries(assignments.map((assignment) => assignment.split('=', 2))),
    flags: words.slice(0, -1),
    file: words.at(-1) ?? '',
  };
}
