import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { Interleaved } from './scripts/test-sequencer.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Files of a process share the modules: loading them anew for each file takes a third of a run.
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    sequence: { sequencer: Interleaved },
    // Many tests wait, for a server to return or a time to come, while others can run. Temporal has a namespace for each of four (test/support/stack/servers.ts).
    maxWorkers: Math.min(availableParallelism() + 2, 4),
    execArgv: ['--max-old-space-size=1024'],
  },
});
