import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { createLogger } from '../src/logging/logger.ts';

/** As `inline-source-map`, without a copy of the sources: each thread for workflows would hold one. */
const SOURCE_MAP = 'inline-nosources-source-map';
const NOT_ASCII = /[^\0-\x7f]/g;

const log = createLogger({ name: 'bundler', level: 'warn' });

// Writes the bundle to the given file, or sends it to the parent process.
const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const { code } = await bundleWorkflowCode({
  workflowsPath,
  // Evaluated once a thread instead of once a workflow: no module of ours has a state.
  preloadModules: [workflowsPath],
  workflowInterceptorModules: ['traces', 'request'].map((name) =>
    fileURLToPath(new URL(`../workflows/interceptors/${name}.ts`, import.meta.url)),
  ),
  webpackConfigHook: (config) => ({ ...config, devtool: SOURCE_MAP }),
  logger: new DefaultLogger('WARN', ({ message, meta }) => log.warn({ ...meta }, message)),
});
// V8 takes two bytes for each character of a text with one beyond Latin-1, and the code has a megabyte.
const bundle = code.replace(NOT_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const [file] = process.argv.slice(2);
if (file === undefined) process.send?.(bundle, () => process.disconnect());
else writeFileSync(file, bundle);
