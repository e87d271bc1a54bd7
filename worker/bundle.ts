import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { StartRefused } from '../src/logging/failing-start.ts';

const BUNDLER = fileURLToPath(new URL('./bundler.ts', import.meta.url));

/**
 * Returns the workflow code for all workers of this version: from a file written by the bundler, else bundled now.
 * Bundling takes some seconds and runs in a separate process, because webpack's 100 MB of memory would stay with the
 * worker. Throws if bundling fails.
 */
export async function loadWorkflowBundle(file?: string): Promise<{ code: string }> {
  if (file !== undefined) return { code: await readBundle(file) };
  const bundler = fork(BUNDLER, { execArgv: [], serialization: 'advanced' });
  const [code] = await Promise.race([
    once(bundler, 'message'),
    once(bundler, 'exit').then(([status]) => {
      throw new Error(`the workflow code could not be bundled: the bundler ended with ${status}`);
    }),
  ]);
  return { code: code as string };
}

const readBundle = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause: unknown) => {
    throw new StartRefused(
      'WORKFLOW_BUNDLE names a file that cannot be read: have worker/bundler.ts write it, or unset WORKFLOW_BUNDLE',
      { cause },
    );
  });
