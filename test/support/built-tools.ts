import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Outside of the checkout, as each is built once on a machine. */
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'switchboard-tools');
const BUILD_LIMIT_MS = 2_400_000;
const run = promisify(execFile);

/**
 * Returns the folder of a tool. It is built elsewhere and gets its name at the end, so a build that failed or was killed
 * leaves none, and two at once do not disturb each other.
 */
export async function built(name: string, file: string, build: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(CACHE, name);
  if (existsSync(join(folder, file))) return folder;
  await mkdir(CACHE, { recursive: true });
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    await build(unfinished);
    if (!existsSync(join(folder, file))) {
      await rm(folder, { recursive: true, force: true });
      await rename(unfinished, folder);
    }
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** A tool that cannot be had on this machine. Its message says why. */
export class ToolMissing extends Error {}

/** Runs a part of a build, and returns its output. Throws ToolMissing, which names the tool and what is missing. */
export async function part(
  tool: string,
  program: string,
  flags: string[],
  { env = process.env, cwd }: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<string> {
  try {
    return (await run(program, flags, { env, cwd, timeout: BUILD_LIMIT_MS, maxBuffer: 1e8 })).stdout;
  } catch (error) {
    throw new ToolMissing(`${tool} cannot be built by ${program} ${flags.join(' ')}: ${whyOf(error as Failed)}`, {
      cause: error,
    });
  }
}

interface Failed extends Error {
  code?: unknown;
  killed?: boolean;
  stdout?: string;
  stderr?: string;
}

function whyOf({ code, killed, stdout, stderr, message }: Failed): string {
  if (code === 'ENOENT') return 'it is not installed';
  if (killed === true) return 'it took too long';
  return (stderr || stdout || message).trim().split('\n').slice(-3).join(' ');
}
