import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../src/db/connect.ts';
import { connectTemporalHealth } from '../../src/temporal/client.ts';
import { startWorkerOps, type WorkerOps } from '../../worker/operations.ts';
import { startTemporalProxy } from '../faults/support/temporal-proxy.ts';
import { startDoor } from '../logging/support/program.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { temporalAddress, testNamespace } from '../support/stack/servers.ts';
import { eventually } from '../support/stack/stack.ts';

/** By then gRPC's own pauses between attempts to connect would be longer than the latency that is allowed. */
const AWAY_MS = 6_000;
const MAX_LATENCY_MS = 3_000;
const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));

interface Settings {
  address?: string;
  namespace?: string;
}

/** An api that asks the Temporal at this address. */
async function apiWith({ address = temporalAddress(), namespace = testNamespace() }: Settings) {
  const env = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
  const temporal = connectTemporalHealth({ ...base.config, ...env });
  const api = await startApi({ databaseUrl: base.databaseUrl, isInProcess: true, deps: { temporal } });
  const ready = async () => (await api.client().get('/readyz')).body;
  const until = (state: string) =>
    eventually(`temporal: ${state}`, async () => {
      const report = await ready();
      return report.temporal === state ? report : undefined;
    });
  const close = () => Promise.all([api.close(), temporal.close()]);
  return { ready, until, close };
}

let base: TestApi;
beforeAll(async () => {
  base = await startApi({ isInProcess: true });
});
afterAll(() => base.close());

describe('/readyz of the api', () => {
  it('names the program, its version, and since when each part is there', async () => {
    const { ready, close } = await apiWith({});
    const before = Date.now();
    const report = await ready();
    expect(report).toMatchObject({ status: 'ok', program: 'api', version, database: 'ok', temporal: 'ok' });
    expect(Object.keys(report.since)).toEqual(expect.arrayContaining(['database', 'temporal']));
    expect(Date.parse(report.since.temporal)).toBeGreaterThanOrEqual(before);
    expect(report).not.toHaveProperty('reasons');
    await close();
  });

  it('says that the namespace does not exist, and how to correct it', async () => {
    const { ready, close } = await apiWith({ namespace: 'there-is-no-such-namespace' });
    expect(await ready()).toMatchObject({
      status: 'degraded',
      temporal: 'away',
      reasons: { temporal: expect.stringContaining('TEMPORAL_NAMESPACE') },
    });
    await close();
  });

  it.each(['DescribeNamespace', 'DescribeWorkflowExecution'])(
    'says away while Temporal answers but cannot serve %s from its database',
    async (refused) => {
      let isRefusing = true;
      const proxy = await startTemporalProxy(temporalAddress(), (method) => isRefusing && method === refused);
      const { ready, until, close } = await apiWith({ address: proxy.address });
      expect(await ready()).toMatchObject({ status: 'degraded', temporal: 'away' });
      isRefusing = false;
      await until('ok');
      await close();
      proxy.close();
    },
  );

  it('says ok within some seconds after Temporal is there, and since when, if it came later than the api', async () => {
    const door = await startDoor(new URL(`http://${temporalAddress()}`));
    const { ready, until, close } = await apiWith({ address: door.address });
    const { since: atFirst } = await until('away');
    for (const end = Date.now() + AWAY_MS; Date.now() < end; ) {
      expect(await ready()).toMatchObject({ temporal: 'away', since: { temporal: atFirst.temporal } });
      await sleep(500);
    }
    await door.open();
    const opened = Date.now();
    const { since } = await until('ok');
    expect(Date.now() - opened).toBeLessThan(MAX_LATENCY_MS);
    expect(Date.parse(since.temporal)).toBeGreaterThanOrEqual(opened);
    expect(since.database).toBe(atFirst.database);

    door.close();
    await until('away');
    await close();
  });

  it('says stopping with 503 before a stop, while requests are answered and connections end after them', async () => {
    const api = await startApi({ databaseUrl: base.databaseUrl, isInProcess: true });
    expect((await api.org.get('/org')).headers.get('connection')).toBe('keep-alive');
    api.app.health.drain();
    expect(await api.client().get('/readyz')).toMatchObject({
      status: 503,
      body: { status: 'stopping', database: 'ok' },
    });
    const { status, headers } = await api.org.get('/org');
    expect([status, headers.get('connection')]).toEqual([200, 'close']);
    await api.close();
  });

  it('says away with 503 while Postgres takes no writes, and why', async () => {
    const away = connect(base.databaseUrl.replace(/$/, '?options=-c%20default_transaction_read_only%3Don'), {
      poolSize: 1,
    });
    const api = await startApi({ databaseUrl: base.databaseUrl, isInProcess: true, deps: { db: away.db } });
    expect(await api.client().get('/readyz')).toMatchObject({
      status: 503,
      body: { status: 'away', database: 'away', reasons: { database: expect.stringContaining('read-only') } },
    });
    await api.close();
    await away.close();
  });
});

describe('the addresses of a worker', () => {
  let isRunning = true;
  let ops: WorkerOps | undefined;
  const read = (path: string) => fetch(`http://127.0.0.1:${ops?.port}${path}`);
  const get = async (path: string) => {
    const answer = await read(path);
    const body: Record<string, unknown> = JSON.parse(await answer.text());
    return { status: answer.status, body };
  };
  beforeAll(async () => {
    const env = { TEMPORAL_ADDRESS: temporalAddress(), TEMPORAL_NAMESPACE: testNamespace() };
    const config = { ...base.config, ...env, HOST: '127.0.0.1', WORKER_OPS_PORT: 0 };
    ops = await startWorkerOps(config, { db: base.db, pool: base.deps.pool, areRunning: () => isRunning });
  });
  afterAll(() => {
    ops?.stopWatching();
    return ops?.close();
  });

  it('are off unless they have a port', async () => {
    expect(
      await startWorkerOps(base.config, { db: base.db, pool: base.deps.pool, areRunning: () => true }),
    ).toBeUndefined();
  });

  it('say that it is alive, and able to work only while it polls its queues', async () => {
    expect(await get('/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
    const report = { program: 'worker', version, database: 'ok', temporal: 'ok' };
    expect(await get('/readyz')).toMatchObject({ status: 200, body: { ...report, status: 'ok', polling: 'ok' } });
    isRunning = false;
    await eventually('away', async () => {
      const { status, body } = await get('/readyz');
      return status === 503 && body.polling === 'away';
    });
    isRunning = true;
  });

  it('have its metrics', async () => {
    const body = await (await read('/metrics')).text();
    expect(body).toContain('process_cpu_seconds_total');
    expect(body).toContain(`switchboard_info{program="worker",version="${version}"} 1`);
    expect(body).toMatch(/^switchboard_part_up\{part="database"\} 1$/m);
  });

  it('answer nothing else', async () => {
    expect((await get('/contacts')).status).toBe(404);
    const post = await fetch(`http://127.0.0.1:${ops?.port}/metrics`, { method: 'POST', body: 'x' });
    expect(post.status).toBe(404);
  });
});
