import { dirname, join } from 'node:path';
import { built, part } from '../../../test/support/built-tools.ts';

/** Peers are installed by, and run on, the Node that runs the bench. */
export const NODE_ENV = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };

/** Returns a folder with packages from npm in its `node_modules`, which have this program. Each is named with its version. */
export const installedFromNpm = (name: string, program: string, packages: string[]): Promise<string> =>
  built(name, join('node_modules/.bin', program), async (folder) => {
    const flags = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', ...packages];
    await part(name, 'npm', flags, { env: NODE_ENV });
  });
