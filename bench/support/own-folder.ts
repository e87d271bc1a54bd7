import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGuard } from '../../src/dev/guard.ts';

/** Makes a folder of this process with a guard of what runs there. It goes with the process: the guard writes to it until then. */
export function ownFolder(name: string) {
  const folder = mkdtempSync(join(tmpdir(), `switchboard-bench-${name}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return { folder, guard: startGuard(join(folder, 'processes.json')) };
}
