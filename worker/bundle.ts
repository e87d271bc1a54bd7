import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const BUNDLER = fileURLToPath(new URL('./bundler.ts', import.meta.url));

/**
 * Bundles the workflow code, as every worker of this version runs it. Takes about a second, and a process of its own,
 * for a worker would hold on to the 100 MB that webpack asks for. Throws where the code cannot be bundled.
 */
export async function workflowBundle(): Promise<{ code: string }> {
  const bundler = fork(BUNDLER, { execArgv: [], serialization: 'advanced' });
  const [code] = await Promise.race([
    once(bundler, 'message'),
    once(bundler, 'exit').then(([status]) => {
      throw new Error(`the workflow code could not be bundled: the bundler ended with ${status}`);
    }),
  ]);
  return { code: code as string };
}
