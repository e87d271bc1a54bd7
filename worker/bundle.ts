import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const BUNDLER = fileURLToPath(new URL('./bundler.ts', import.meta.url));

/**
 * The workflow code, as every worker of this version runs it: out of a file that the bundler has written, else bundled now. That takes some
 * seconds, and a process of its own, for a worker would hold on to the 100 MB that webpack asks for. Throws where the code cannot be bundled.
 */
export async function loadWorkflowBundle(file?: string): Promise<{ code: string }> {
  if (file !== undefined) return { code: await readFile(file, 'utf8') };
  const bundler = fork(BUNDLER, { execArgv: [], serialization: 'advanced' });
  const [code] = await Promise.race([
    once(bundler, 'message'),
    once(bundler, 'exit').then(([status]) => {
      throw new Error(`the workflow code could not be bundled: the bundler ended with ${status}`);
    }),
  ]);
  return { code: code as string };
}
