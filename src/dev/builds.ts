import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Build {
  name: string;
  /** The program that writes to `to`. */
  script: string;
  /** The folders and files that it reads. The versions of packages count too. */
  from: string[];
  to: string;
}

const BUILDS: Build[] = [
  {
    name: 'programs',
    script: 'scripts/build-programs.ts',
    from: ['src', 'worker', 'activities', 'workflows'],
    to: 'dist',
  },
  { name: 'widget', script: 'embed/build.ts', from: ['embed'], to: 'embed/dist' },
];
const HASH_FILE = '.sources';

/** Builds the programs and the widget where their sources have changed since they were built. Returns the names of those. */
export async function buildWhatChanged(): Promise<string[]> {
  const built = await Promise.all(BUILDS.map(buildIfChanged));
  return BUILDS.filter((_, index) => built[index]).map(({ name }) => name);
}

async function buildIfChanged(build: Build): Promise<boolean> {
  const { name, script, to } = build;
  const hashFile = join(ROOT, to, HASH_FILE);
  const hash = await hashOfSources(build);
  if (existsSync(hashFile) && readFileSync(hashFile, 'utf8') === hash) return false;
  const builder = spawn(process.execPath, [join(ROOT, script)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  builder.stderr.on('data', (part: Buffer) => (errors += part.toString()));
  const [code] = await once(builder, 'close');
  if (code !== 0) throw new Error(`${name} could not be built: ${errors.trim()}`);
  writeFileSync(hashFile, hash);
  return true;
}

async function hashOfSources({ script, from, to }: Build): Promise<string> {
  const listed = await Promise.all(from.map((folder) => filesIn(join(ROOT, folder))));
  const files = listed.flat().filter((file) => !file.startsWith(join(ROOT, to) + sep));
  const hash = createHash('sha256');
  for (const file of new Set([...files.sort(), join(ROOT, script), join(ROOT, 'package-lock.json')]))
    hash.update(file.slice(ROOT.length)).update(await readFile(file));
  return hash.digest('hex');
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !file.includes(`${sep}node_modules${sep}`));
}
