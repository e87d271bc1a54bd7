import type { Config } from '../../config.ts';
import type { Db } from '../../db/connect.ts';
import { connectTemporal, connectTemporalHealth } from '../../temporal/client.ts';
import { examine, type Finding, fault, type Judgement, ok, skipped, warning } from './findings.ts';
import { findTimeZoneDifferences } from './time-zone-differences.ts';

const TESTED_VERSION = '1.31';
const SEARCH_ATTRIBUTES = ['OrgId', 'SubjectId', 'Kind', 'WaitsFor', 'Title'];
const DEADLINE_MS = 2_000;
const REACH = 'correct TEMPORAL_ADDRESS, or start Temporal';

/** Checks Temporal: that it can be reached, its version, namespace and search attributes, and the time zones. */
export async function examineTemporal(db: Db | undefined, config: Config): Promise<Finding[]> {
  const health = connectTemporalHealth(config);
  const { client, close } = connectTemporal(config);
  try {
    const reached = await examine('Temporal', REACH, () => judgeVersion(client));
    if (reached.state === 'fault') return [reached];
    return [
      reached,
      await examine('namespace', REACH, async () => judgeNamespace(await health.check(), config)),
      await examine('search attributes', REACH, () => judgeSearchAttributes(client, config)),
      await examine('time zones', REACH, () => judgeTimeZones(db, client)),
    ];
  } finally {
    await Promise.all([health.close(), close()]);
  }
}

type Client = ReturnType<typeof connectTemporal>['client'];

/** Makes a call that ends in time. */
const inTime = <Result>({ connection }: Client, call: () => Promise<Result>): Promise<Result> =>
  connection.withDeadline(Date.now() + DEADLINE_MS, call);

async function judgeVersion(client: Client): Promise<Judgement> {
  const { serverVersion } = await inTime(client, () => client.workflowService.getSystemInfo({}));
  const version = serverVersion ?? '';
  return version.localeCompare(TESTED_VERSION, 'en', { numeric: true }) < 0
    ? warning(version || 'of an unknown version', `Temporal ${TESTED_VERSION} is what is tested`)
    : ok(version);
}

const judgeNamespace = (state: 'ok' | 'no-namespace', { TEMPORAL_NAMESPACE: name }: Config): Judgement =>
  state === 'ok'
    ? ok(name)
    : fault(`${name} does not exist`, 'correct TEMPORAL_NAMESPACE, or run deploy/temporal-namespace.sh');

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
