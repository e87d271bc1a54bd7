import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/** Bundles the workflow code, as every worker of this version runs it. Takes about a second. */
export async function workflowBundle(): Promise<{ code: string }> {
  const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
  return { code };
}
