import { availableParallelism } from 'node:os';

export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/.data/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  globalSetup: '<rootDir>/scripts/jest/global-setup.mjs',
  globalTeardown: '<rootDir>/scripts/jest/global-teardown.mjs',
  testEnvironment: '<rootDir>/scripts/jest/environment.mjs',
  testSequencer: '<rootDir>/scripts/jest/sequencer.mjs',
  testTimeout: 60_000,
  // Many tests wait, for a server to return or a time to come, while others can run. Temporal has a namespace for each of four (test/support/servers.ts).
  maxWorkers: Math.min(availableParallelism() + 1, 4),
  // A worker that a test left open does not end by itself at all; on a busy machine the usual half second is short for the others.
  workerGracefulExitTimeout: 10_000,
};
