import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Finding, tableOf } from './support/report.ts';
import { withStack } from './support/stack.ts';

const BENCHES = [
  'sequences',
  'mail',
  'inbound-mail',
  'scale',
  'forecast',
  'relay',
  'api',
  'contacts-search',
  'contacts-import',
  'event-streams',
  'conversations',
  'assignment',
  'crm-inbound',
  'crawl',
  'knowledge-search',
  'automations/once',
  'automations/by-webhook',
  'automations/backlog',
  'automations/by-workers',
  'extraction',
  'summaries',
  'tagging',
  'analytics',
  'inbox',
  'webhooks',
  'hot-paths',
  'insights',
  'embedding',
  'ai/turns',
  'ai/answers',
  'ai/first-evening',
  'ai/tau-bench',
  'peers/runs',
  'peers/mail',
];

interface Outcome {
  isMet: boolean;
  findings: Finding[];
}

/** Runs a bench in a separate process, on separate servers. */
async function run(name: string, env: NodeJS.ProcessEnv = process.env): Promise<Outcome> {
  console.log(`\n${name}`);
  const findings: Finding[] = [];
  const child = fork(fileURLToPath(import.meta.resolve(`./${name}.ts`)), [], { env });
  child.on('message', (found) => findings.push(...(found as Finding[])));
  const [code] = await once(child, 'exit');
  return { isMet: code === 0, findings };
}

/** Runs this bench on a database it creates on the given server. It prints its own table. */
const runContactsSearch = () =>
  withStack({ hasTemporal: false }, ({ databaseUrl }) =>
    run('contacts-search', { ...process.env, BENCH_SERVER_URL: databaseUrl }),
  );

/** Returns the benches of a name: one, or all of a folder. */
function benchesOf(name: string): string[] {
  const found = BENCHES.filter((bench) => bench === name || bench.startsWith(`${name}/`));
  if (found.length === 0) throw new Error(`unknown bench ${name}; the benches are ${BENCHES.join(', ')}`);
  return found;
}

const names = process.argv.length > 2 ? process.argv.slice(2).flatMap(benchesOf) : BENCHES;

const outcomes: Outcome[] = [];
for (const name of names) outcomes.push(name === 'contacts-search' ? await runContactsSearch() : await run(name));
const findings = outcomes.flatMap((outcome) => outcome.findings);
if (findings.length > 0) console.log(`\n${tableOf(findings)}`);
const missed = names.filter((_, nth) => outcomes[nth]?.isMet !== true);
if (missed.length > 0) console.log(`\ntargets missed or not measured: ${missed.join(', ')}`);
process.exitCode = missed.length === 0 ? 0 : 1;
