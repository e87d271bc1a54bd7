import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

// A program that sends the bundle to the process that started it.
const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
process.send?.(code, () => process.disconnect());
