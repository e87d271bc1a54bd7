import type { Config } from '../../config.ts';
import type { Db } from '../../db/connect.ts';
import { connectTemporal, connectTemporalHealth } from '../../temporal/client.ts';
import { TASK_QUEUES, type TaskQueue } from '../../temporal/contract.ts';
import { ANSWER_MS, describeQueues, type QueueState } from '../../temporal/queues.ts';
import { examine, type Finding, fault, type Judgement, ok, skipped, warning } from './findings.ts';
import { findTimeZoneDifferences } from './time-zone-differences.ts';

const TESTED_VERSION = '1.31';
const SEARCH_ATTRIBUTES = ['OrgId', 'SubjectId', 'Kind', 'WaitsFor', 'Title'];
const DAY_SECONDS = 86_400;
const MAX_CLOCK_MS = 1_000;
/** A crawler without a worker of this queue reads pages without a browser. */
const OPTIONAL_QUEUES: ReadonlySet<TaskQueue> = new Set(['rendering']);
const REACH = 'correct TEMPORAL_ADDRESS, or start Temporal';

/** Checks Temporal: that it can be reached, its version, namespace and search attributes, workers, clock and time zones. */
export async function examineTemporal(db: Db | undefined, config: Config): Promise<Finding[]> {
  const health = connectTemporalHealth(config);
  const { client, close } = connectTemporal(config);
  try {
    const reached = await examine('Temporal', REACH, () => judgeVersion(client));
    if (reached.state === 'fault') return [reached];
    return [
      reached,
      await examine('namespace', REACH, async () => judgeNamespace(client, await health.check(), config)),
      await examine('search attributes', REACH, () => judgeSearchAttributes(client, config)),
      ...(await examineWorkers(client)),
      await examine('time zones', REACH, () => judgeTimeZones(db, client)),
    ];
  } finally {
    await Promise.all([health.close(), close()]);
  }
}

type Client = ReturnType<typeof connectTemporal>['client'];

/** Makes a call that ends in time. */
const inTime = <Result>({ connection }: Client, call: () => Promise<Result>): Promise<Result> =>
  connection.withDeadline(Date.now() + ANSWER_MS, call);

async function judgeVersion(client: Client): Promise<Judgement> {
  const { serverVersion } = await inTime(client, () => client.workflowService.getSystemInfo({}));
  const version = serverVersion ?? '';
  return version.localeCompare(TESTED_VERSION, 'en', { numeric: true }) < 0
    ? warning(version || 'of an unknown version', `Temporal ${TESTED_VERSION} is what is tested`)
    : ok(version);
}

async function judgeNamespace(
  client: Client,
  state: 'ok' | 'no-namespace',
  { TEMPORAL_NAMESPACE: namespace }: Config,
): Promise<Judgement> {
  if (state === 'no-namespace')
    return fault(`${namespace} does not exist`, 'correct TEMPORAL_NAMESPACE, or run deploy/temporal-namespace.sh');
  const { config } = await inTime(client, () => client.workflowService.describeNamespace({ namespace }));
  const days = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / DAY_SECONDS;
  const found = `${namespace}, which shows for ${Math.round(days * 10) / 10} days what has ended`;
  return days < 1
    ? warning(found, 'set TEMPORAL_RETENTION to several days: after a restore, what has ended is looked up there')
    : ok(found);
}

/** Checks that each queue has workers, and Temporal's clock by when it heard from them. */
async function examineWorkers(client: Client): Promise<Finding[]> {
  let queues: QueueState[] = [];
  const workers = await examine('workers', REACH, async () => {
    queues = await describeQueues(client);
    return judgeWorkers(queues);
  });
  return [workers, await examine('clock of Temporal', REACH, async () => judgeClock(queues))];
}

/** Workers of all queues poll for activities. */
function judgeWorkers(queues: QueueState[]): Judgement {
  const polled = new Set(
    queues.filter(({ tasks, pollers }) => tasks === 'activity' && pollers.length > 0).map(({ queue }) => queue),
  );
  const missing = TASK_QUEUES.filter((queue) => !polled.has(queue) && !OPTIONAL_QUEUES.has(queue));
  if (missing.length === 0) return ok('all queues have some');
  return warning(
    `no worker polls ${missing.join(', ')}`,
    'start workers, or add these to WORKER_QUEUES of one: their work waits',
  );
}

/** Temporal says when it last heard from a worker. A time to come is one of another clock. */
function judgeClock(queues: QueueState[]): Judgement {
  const heardAt = queues.flatMap(({ pollers }) => pollers.flatMap(({ last_seen_at }) => last_seen_at?.getTime() ?? []));
  if (heardAt.length === 0) return skipped('it is seen by the workers, and none is there');
  const aheadMs = Math.round(Math.max(...heardAt) - Date.now());
  return aheadMs > MAX_CLOCK_MS
    ? fault(`${aheadMs} ms ahead of this machine`, 'synchronize the clocks of both machines by NTP')
    : ok('not ahead of this machine');
}

async function judgeSearchAttributes(client: Client, { TEMPORAL_NAMESPACE: namespace }: Config): Promise<Judgement> {
  const { customAttributes } = await inTime(client, () =>
    client.connection.operatorService.listSearchAttributes({ namespace }),
  );
  const missing = SEARCH_ATTRIBUTES.filter((name) => !Object.hasOwn(customAttributes ?? {}, name));
  return missing.length === 0
    ? ok(SEARCH_ATTRIBUTES.join(', '))
    : fault(`${missing.join(', ')} missing`, 'run deploy/temporal-namespace.sh');
}

async function judgeTimeZones(db: Db | undefined, client: Client): Promise<Judgement> {
  if (db === undefined) return skipped('Postgres cannot be asked');
  const differences = await findTimeZoneDifferences(db, client, new Date());
  if (differences.length === 0) return ok('Node, Postgres and Temporal agree about those in use');
  const named = differences.map(({ time_zone, differs_in }) => `${time_zone} (${differs_in})`);
  return warning(`differ for ${named.join(', ')}`, 'see "Clocks" in docs/operations.md');
}
