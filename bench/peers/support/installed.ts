import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Outside of the checkout, as each is installed once on a machine. */
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'switchboard-peers');
const LIMIT_MS = 1_800_000;
const run = promisify(execFile);

/** Why a peer cannot be measured on this machine, in words. */
export class PeerMissing extends Error {}

/** Peers are installed by, and run on, the Node that runs the bench. */
export const NODE_ENV = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };

/** Runs a program to its end, and returns its output. Throws PeerMissing with the last lines if it fails. */
export async function runToEnd(
  program: string,
  flags: string[],
  { cwd, env = NODE_ENV }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  try {
    return (await run(program, flags, { cwd, env, timeout: LIMIT_MS, maxBuffer: 1e8 })).stdout;
  } catch (error) {
    const { code, stdout = '', stderr = '', message } = error as Error & Record<'code' | 'stdout' | 'stderr', string>;
    const reason = code === 'ENOENT' ? 'it is not installed' : (stderr || stdout || message).trim();
    throw new PeerMissing(`${program} ${flags[0]}: ${reason.split('\n').slice(-3).join(' ')}`);
  }
}

/**
 * Returns the folder of a peer. It is made elsewhere and gets its name at the end, so one that failed or was killed leaves
 * none.
 */
export async function installed(name: string, install: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(CACHE, name);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    await install(unfinished);
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** Returns a folder with packages from npm in its `node_modules`. Each is named with its version. */
export const installedFromNpm = (name: string, packages: string[]): Promise<string> =>
  installed(name, async (folder) => {
    await runToEnd('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', ...packages]);
  });
