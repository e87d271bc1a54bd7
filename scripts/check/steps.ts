import { spawnSync } from 'node:child_process';
import type { Step } from './step.ts';
import { countTests } from './tests.ts';

const sources = [
  'src',
  'workflows',
  'activities',
  'worker',
  'test',
  'bench',
  'scripts',
  'console/src',
  'embed/src',
  'sdk/src',
];

/** The environment variables required by docker-compose.yml. */
const requiredByCompose = {
  JWT_SECRET: 'x',
  SECRET_KEYS: 'x',
  PUBLIC_URL: 'http://localhost',
  POSTGRES_PASSWORD: 'x',
  POSTGRES_OWNER_PASSWORD: 'x',
  TEMPORAL_POSTGRES_PASSWORD: 'x',
};

/** Steps that write what others read. They run first, one after the other. */
export const generatingSteps: Step[] = [
  { name: 'types of the console', command: ['npm', 'run', 'console:types'] },
  { name: 'SDK', command: ['npm', 'run', 'sdk:build'] },
];

/** Steps that only read. Two of them run at once. */
export const staticSteps: Step[] = [
  { name: 'format and lint', command: ['biome', 'ci', '--colors=off', '.'], proof: /Checked [1-9]\d* files/ },
  // TypeScript's own diagnostics and the lint that needs types, of the console, the SDK and the widget too.
  { name: 'types and typed lint', command: ['oxlint'], proof: /on [1-9]\d* files/ },
  {
    name: 'dependency rules',
    command: ['depcruise', '--config', '.dependency-cruiser.js', ...sources],
    proof: /\([1-9]\d* modules/,
  },
  { name: 'dead code', command: ['knip'] },
  { name: 'turns of phrase', command: ['node', 'scripts/check/phrases/main.ts'], proof: /Checked [1-9]\d* files/ },
  composeStep(),
  { name: 'OpenAPI document', command: ['node', 'scripts/check-openapi.ts'], proof: /[1-9]\d* operations/ },
];

/** Steps that start servers. They run one after the other. */
export const runningSteps: Step[] = [
  { name: 'schema', command: ['node', 'scripts/schema.ts', '--check'], proof: /[1-9]\d* tables/ },
  {
    name: 'tests',
    command: ['node', 'scripts/check/tests.ts'],
    count: countTests,
    complaint: /Jest did not exit|failed to exit gracefully/,
    timeoutMinutes: 26,
  },
  { name: 'schemathesis', command: ['npm', 'run', 'schemathesis'], timeoutMinutes: 10 },
];

function composeStep(): Step {
  const program = [['docker', 'compose'], ['docker-compose']].find(([name = '', ...args]) => {
    return spawnSync(name, [...args, 'version']).status === 0;
  });
  return {
    name: 'docker compose config',
    command: [...(program ?? []), '-f', 'docker-compose.yml', 'config'],
    proof: /^ {2}api:/m,
    env: requiredByCompose,
    skipped: program === undefined ? 'neither docker compose nor docker-compose is installed' : undefined,
  };
}
