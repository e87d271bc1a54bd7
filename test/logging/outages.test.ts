import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase, temporalAddress } from '../support/stack/servers.ts';
import { startDoor, startProgram } from './support/program.ts';

const OUTAGE_MS = 8_000;
/** What eight seconds of an outage may add to the log. Nine relay failures with their stacks had more. */
const MAX_LINES = 30;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('while the database is away', () => {
  it('the worker says so once for each kind of work, and then how often it was so', async () => {
    const door = await startDoor(new URL(database.url));
    await door.open();
    const worker = await startProgram('worker', { DATABASE_URL: door.url });
    await worker.find('working', ({ msg }) => msg === 'working');
    const before = worker.lines().length;

    door.close();
    await worker.find('the outage', ({ msg }) => msg === 'relay failed; retrying');
    await sleep(OUTAGE_MS);
    const during = worker.lines().slice(before);
    await door.open();
    await worker.stop();
    door.close();

    const keys = during.map(({ msg, err }) => `${msg} ${err?.code ?? err?.type}`);
    expect(keys).toEqual([...new Set(keys)]);
    expect(during.length).toBeLessThan(MAX_LINES);
    expect(during[0].err).toMatchObject({ message: expect.stringMatching(/\w/) });
    const counted = worker.lines().filter(({ repeated }) => repeated > 0);
    expect(counted.map(({ msg }) => msg)).toContain('relay failed; retrying');
  });

  it('the api counts the requests that fail by it', async () => {
    const door = await startDoor(new URL(database.url));
    await door.open();
    const port = String(new URL((await startDoor(new URL(database.url))).url).port);
    const api = await startProgram('api', { DATABASE_URL: door.url, PORT: port });
    await api.find('listening', ({ msg }) => msg.startsWith('Server listening'));
    door.close();
    const before = api.lines().length;
    for (let nth = 0; nth < 20; nth++) {
      const { status } = await fetch(`http://127.0.0.1:${port}/contacts/search`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk_unknown', 'content-type': 'application/json' },
        body: '{}',
      });
      expect([401, 503]).toContain(status);
    }
    const during = api.lines().slice(before);
    await api.stop();
    expect(during.length).toBeLessThan(5);
  });
});

describe('while Temporal is away', () => {
  it('a worker that starts says so, and its relay does not fail by it', async () => {
    const door = await startDoor(new URL(`http://${temporalAddress()}`));
    const worker = await startProgram('worker', { DATABASE_URL: database.url, TEMPORAL_ADDRESS: door.address });
    const away = await worker.find('the outage', ({ msg }) => msg === 'Temporal is unavailable; retrying');
    expect(away).toMatchObject({ level: 40, err: { type: 'TransportError' } });
    await sleep(4_000);
    const warnings = worker.lines().filter(({ level }) => level >= 40);
    expect(warnings.map(({ msg }) => msg)).toEqual(['Temporal is unavailable; retrying']);

    await door.open();
    await worker.find('working', ({ msg }) => msg === 'working');
    door.close();
    const core = await worker.find('the end of the connection', ({ sdkComponent }) => sdkComponent === 'core');
    expect(core).toMatchObject({ level: expect.any(Number), name: 'worker' });
    await worker.stop();
  });
});
