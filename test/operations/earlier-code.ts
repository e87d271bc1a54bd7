import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Code } from '../faults/support/fault-stack.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MIGRATIONS = 'src/db/migrations/';

const git = async (...args: string[]) => (await run('git', args, { cwd: ROOT })).stdout.trim();

/** Returns the last commit before the newest migration, or undefined where the history of this repository is not there. */
async function findEarlierCommit(): Promise<string | undefined> {
  try {
    const newest = (await git('ls-tree', '--name-only', 'HEAD', MIGRATIONS)).split('\n').at(-1) ?? '';
    const added = await git('log', '--diff-filter=A', '--format=%H', '--', newest);
    return added === '' ? undefined : await git('rev-parse', `${added.split('\n').at(-1)}^`);
  } catch {
    return undefined;
  }
}

/**
 * Builds the programs of an earlier version in a temporary folder, with the packages of this one. Returns undefined where
 * the history of this repository is not there.
 */
export async function buildEarlierCode(): Promise<(Code & { remove: () => void }) | undefined> {
  const commit = await findEarlierCommit();
  if (commit === undefined) return undefined;
  const root = mkdtempSync(join(tmpdir(), 'switchboard-earlier-'));
  const archive = join(root, 'code.tar');
  await git('archive', '--output', archive, commit);
  await run('tar', ['-xf', archive, '-C', root]);
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const workflowBundle = join(root, 'workflows.js');
  const node = (file: string, args: string[] = [], env: Record<string, string> = {}) =>
    run(process.execPath, [file, ...args], { cwd: root, env: { ...process.env, ...env } });
  await Promise.all([node('scripts/build-programs.ts'), node('worker/bundler.ts', [workflowBundle])]);
  return {
    root,
    workflowBundle,
    async migrate(databaseUrl) {
      await node('src/db/migrate.ts', [], { DATABASE_URL: databaseUrl });
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
