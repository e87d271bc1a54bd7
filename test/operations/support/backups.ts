import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultStack } from '../../faults/support/fault-stack.ts';

const PARTS = ['postgres', 'temporal', 'files'] as const;
type Part = (typeof PARTS)[number];

/** Copies of the data of an installation, made while nothing runs. */
export interface Backups {
  /** Where the files are, for STORAGE_URL. */
  filesFolder: string;
  /** Ends all programs and copies their data. None runs afterwards. */
  take(name: string): Promise<void>;
  /** Ends all programs, brings back these parts, and starts Postgres and Temporal. */
  restore(from: Record<Part, string>): Promise<void>;
  startServers(): Promise<void>;
  startPrograms(): Promise<void>;
  remove(): void;
}

/** `stackOf` is called once the installation has started: it has to know the folder of the files before. */
export function createBackups(stackOf: () => FaultStack): Backups {
  const home = mkdtempSync(join(tmpdir(), 'switchboard-backups-'));
  const filesFolder = join(home, 'live-files');
  mkdirSync(filesFolder);
  const placeOf = (part: Part): string => {
    const { folder } = stackOf();
    if (part === 'files') return filesFolder;
    return part === 'postgres' ? join(realpathSync(join(folder, 'postgres')), 'cluster') : join(folder, 'temporal');
  };
  const copy = (from: string, to: string) => {
    rmSync(to, { recursive: true, force: true });
    execFileSync('cp', ['-a', from, to]); // with owners and times
  };
  const stopAll = async () => {
    const { api, worker, postgres, temporal } = stackOf();
    for (const program of [api, worker, temporal, postgres]) await program.kill();
  };
  const startServers = async () => {
    const { postgres, temporal } = stackOf();
    await Promise.all([postgres.start(), temporal.start()]);
  };

  return {
    filesFolder,
    async take(name) {
      await stopAll();
      mkdirSync(join(home, name));
      for (const part of PARTS) copy(placeOf(part), join(home, name, part));
    },
    async restore(from) {
      await stopAll();
      for (const part of PARTS) copy(join(home, from[part], part), placeOf(part));
      await startServers();
    },
    startServers,
    async startPrograms() {
      const { api, worker } = stackOf();
      await Promise.all([api.start(), worker.start()]);
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** Makes all files of a folder two days old: younger ones may belong to a transaction that is being committed. */
export function makeOld(folder: string): void {
  const then = new Date(Date.now() - 2 * 86_400_000);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), then, then);
}
