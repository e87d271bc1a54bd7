import { Connection } from '@temporalio/client';
import { type Child, startChild, waitUntilReady } from './child.ts';
import type { Guard } from './guard.ts';
import { canConnect } from './ports.ts';
import { findTemporalCli } from './temporal-programs.ts';

export type TemporalOptions = {
  port: number;
  logFile: string;
  guard: Guard;
  /** The file to keep workflows across restarts. In memory if omitted. */
  databaseFile?: string;
  /** No UI if omitted. */
  uiPort?: number;
  /** In addition to `default`. */
  namespaces?: string[];
};

const NAMESPACE = 'default';
const SEARCH_ATTRIBUTES = ['OrgId', 'SubjectId', 'Kind', 'WaitsFor', 'Title'];
const DYNAMIC_CONFIG = {
  'frontend.namespaceRPS': 100_000, // the default of 2,400 slows down a backlog
  'frontend.namespaceRPS.visibility': 1_000,
  'system.enableEagerWorkflowStart': true,
  'system.forceSearchAttributesCacheRefreshOnRead': true,
  'matching.useNewMatcher': true,
  'matching.enableFairness': true,
  'matching.numTaskqueueReadPartitions': 1, // orgs take turns within a partition, not between partitions
  'matching.numTaskqueueWritePartitions': 1,
};
/** A write-ahead log survives a kill -9 and starts twice as many workflows per second as SQLite's default. */
const PRAGMAS = ['journal_mode=WAL', 'synchronous=NORMAL'];

/** Starts Temporal's development server. Resolves when it answers and knows the search attributes. */
export async function startTemporal(options: TemporalOptions): Promise<Child & { address: string }> {
  const { port, uiPort, databaseFile, logFile, guard, namespaces = [] } = options;
  const cli = await findTemporalCli();
  const child = await startChild(
    cli,
    [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'error'],
      ...[NAMESPACE, ...namespaces].flatMap((name) => ['--namespace', name]),
      ...(uiPort ? ['--ui-port', String(uiPort)] : ['--headless']),
      ...(databaseFile
        ? ['--db-filename', databaseFile, ...PRAGMAS.flatMap((pragma) => ['--sqlite-pragma', pragma])]
        : []),
      ...SEARCH_ATTRIBUTES.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
      ...Object.entries(DYNAMIC_CONFIG).flatMap(([key, value]) => [
        '--dynamic-config-value',
        `${key}=${JSON.stringify(value)}`,
      ]),
    ],
    { logFile, guard },
  );
  const address = `127.0.0.1:${port}`;
  await waitUntilReady(child, logFile, () => probe(port), 30_000);
  return { ...child, address };
}

async function probe(port: number) {
  // Probes first, because the SDK's client waits a second after each refusal.
  if (!(await canConnect('127.0.0.1', port, 1_000))) throw new Error('it does not listen yet');
  const connection = await Connection.connect({ address: `127.0.0.1:${port}`, connectTimeout: 1_000 });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: NAMESPACE });
    const missing = SEARCH_ATTRIBUTES.filter((name) => !(name in customAttributes));
    if (missing.length > 0) throw new Error(`no search attributes ${missing.join(', ')} yet`);
  } finally {
    await connection.close();
  }
}
