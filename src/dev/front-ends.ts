import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The workspaces that browsers load. Each has a `build.ts`, which writes to its `dist/`. */
const FRONT_ENDS = ['embed'];
const BUILT = ['dist', 'node_modules'];
const HASH_FILE = '.sources';

/** Builds those front ends whose sources have changed since they were built. Returns their names. */
export async function buildFrontEnds(): Promise<string[]> {
  const built = await Promise.all(FRONT_ENDS.map(buildFrontEnd));
  return FRONT_ENDS.filter((_, index) => built[index]);
}

async function buildFrontEnd(name: string): Promise<boolean> {
  const hashFile = join(ROOT, name, 'dist', HASH_FILE);
  const hash = await hashOfSources(join(ROOT, name));
  if (existsSync(hashFile) && readFileSync(hashFile, 'utf8') === hash) return false;
  const builder = spawn(process.execPath, [join(ROOT, name, 'build.ts')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  builder.stderr.on('data', (part: Buffer) => (errors += part.toString()));
  const [code] = await once(builder, 'close');
  if (code !== 0) throw new Error(`${name} could not be built: ${errors.trim()}`);
  writeFileSync(hashFile, hash);
  return true;
}

/** The versions of packages count as sources too. */
async function hashOfSources(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !BUILT.some((built) => file.startsWith(join(folder, built))))
    .sort();
  const hash = createHash('sha256');
  for (const file of [...files, join(ROOT, 'package-lock.json')])
    hash.update(file.slice(ROOT.length)).update(await readFile(file));
  return hash.digest('hex');
}
