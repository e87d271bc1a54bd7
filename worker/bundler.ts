import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

// Writes the bundle to the given file, or sends it to the parent process.
const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const { code } = await bundleWorkflowCode({
  workflowsPath,
  // Evaluated once a thread instead of once a workflow: no module of ours has a state.
  preloadModules: [workflowsPath],
  logger: new DefaultLogger('WARN'),
});
const [file] = process.argv.slice(2);
if (file === undefined) process.send?.(code, () => process.disconnect());
else writeFileSync(file, code);
