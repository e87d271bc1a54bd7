import { availableParallelism } from 'node:os';

/**
 * What only the long tier runs, as the short one has a limit of 25 minutes: faults and bounds whose kinds other files try
 * too, and what takes longest.
 */
const LONG_TIER = [
  'ai/calibration/vectors',
  'ai/preview/preview',
  'analytics/conversations',
  'automations/runs/batches',
  'automations/triggers/every-trigger',
  'console/heap',
  'crawl/pages',
  'crm/handoffs/again',
  'crm/handoffs/edge-cases',
  'crm/handoffs/lost-workflows',
  'db/pgbouncer',
  'deliveries/messages/calls',
  'desk/assignment-queues',
  'dev/image',
  'extraction/hostile-pages',
  'faults/ai-actions',
  'faults/automation-calls',
  'faults/channels',
  'faults/console',
  'faults/course',
  'faults/crawl',
  'faults/crm',
  'faults/embedding',
  'faults/evals',
  'faults/inboxes',
  'faults/insights',
  'faults/mail-server',
  'faults/phone-calls',
  'faults/summaries',
  'faults/webhook-secrets',
  'faults/whatsapp',
  'insights/categories',
  'insights/lineage',
  'keys/rotation-under-load',
  'knowledge/search/embeddings',
  'logging/outages',
  'logging/start-refusals',
  'models/real-model',
  'operations/proxy',
  'operations/stopping',
  'outbox/repair',
  'outbox/waiting-work',
  'recognition/unsure-language',
  'security/bad-input',
  'security/bounds/workflows',
  'security/bystander/bystander',
  'sequences/forecast/jobs',
  'sequences/forecast/service',
  'sequences/gates/limits',
  'sequences/sending/many-waiting',
  'sla/year',
  'webhooks/hostile',
  'workflows/crm',
];
const IS_LONG = process.env.TEST_TIER === 'long';

/** Tests run in bare Node processes, which strip the types themselves: nothing is transformed or mocked. */
export default {
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: IS_LONG ? [] : LONG_TIER.map((file) => `/test/${file}\\.test\\.ts$`),
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  transform: {},
  // Files of a process share the modules: loading them anew for each file takes a third of a run.
  runner: 'jest-light-runner/child-process',
  globalSetup: '<rootDir>/test/support/jest/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/jest/global-teardown.ts',
  setupFilesAfterEnv: ['<rootDir>/test/support/jest/setup.ts'],
  testSequencer: '<rootDir>/test/support/jest/sequencer.ts',
  // Many tests wait, for a server to return or a time to come, while others can run. Temporal has a namespace for each of four (test/support/stack/servers.ts).
  maxWorkers: Math.min(availableParallelism() + 2, 4),
};
