import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../../src/cli/commands.ts';
import { elementAt } from '../../src/collections/checked-access.ts';
import { newId } from '../../src/ids.ts';
import { storeMedia } from '../../src/media/service.ts';
import { pngOf } from '../media/samples.ts';
import { type Answer, startApi, type TestApi } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';

const keyOf = (kid: string, byte: number) => `${kid}:${Buffer.alloc(32, byte).toString('base64')}`;
const [OLD_KEY, NEW_KEY] = [keyOf('test', 7), keyOf('k2', 8)];
const NEW = 'a new secret of the tests, of 32 characters';
const escaped = (secret: string) => secret.replaceAll(',', '%2C');
const PAUSE_MS = 20;
const AT_ONCE = 4;

/** The processes that requests go to by turns, as behind a load balancer. */
let processes: TestApi[] = [];
let base: TestApi;
beforeAll(async () => {
  base = await startApi({ isInProcess: true });
});
afterAll(async () => {
  for (const one of processes) await one.close();
  await base.close();
});

const start = (env: Record<string, string>) =>
  startApi({ databaseUrl: base.databaseUrl, isInProcess: true, env: { PUBLIC_URL: base.config.PUBLIC_URL, ...env } });

/** Requests under way, by their process. */
const underWay = new Map<TestApi, number>();
let turn = 0;

/** Makes a request at the next process. */
async function request(call: (one: TestApi) => Promise<Answer>): Promise<Answer> {
  const one = elementAt(processes, turn++ % processes.length);
  underWay.set(one, (underWay.get(one) ?? 0) + 1);
  try {
    return await call(one);
  } finally {
    underWay.set(one, (underWay.get(one) ?? 0) - 1);
  }
}
/** A client whose requests go to the processes by turns. */
const clientOf = (key?: string) => ({
  get: (path: string) => request((one) => one.client(key).get(path)),
  post: (path: string, body: object, options?: { headers: Record<string, string> }) =>
    request((one) => one.client(key).post(path, body, options)),
  patch: (path: string, body: object) => request((one) => one.client(key).patch(path, body)),
  delete: (path: string) => request((one) => one.client(key).delete(path)),
});

/** Replaces one process after the other by one with other settings. Both serve meanwhile. */
async function rollOut(env: Record<string, string>): Promise<void> {
  for (const old of processes) {
    const next = await start(env);
    processes = processes.map((one) => (one === old ? next : one));
    await eventually('its last requests', () => (underWay.get(old) ?? 0) === 0);
    await old.close();
  }
}

it('no request is refused while the secrets of signatures, of encryption and of an org are rotated', async () => {
  const OLD = base.config.JWT_SECRET;
  processes = [await start({}), await start({})];
  const statuses = new Map<string, number>();
  const note = (what: string, status: number) =>
    statuses.set(`${what} ${status}`, (statuses.get(`${what} ${status}`) ?? 0) + 1);
  let key = base.org.key;
  const issued = [base.org.key];
  let isLoaded = true;
  const media = await storeMedia(base.db, base.deps.storage, base.org.id, { content: [pngOf(100)], fileName: 'a.png' });
  const file = new URL(base.deps.mediaLinks.lastingLinkOf(media)).pathname;

  const load = async () => {
    while (isLoaded) {
      const email = `${newId()}@customers.example`;
      const http_action_overrides = { headers: { 'x-token': email } };
      note('save', (await clientOf(key).post('/contacts', { contact: { email, http_action_overrides } })).status);
      for (const one of issued.slice(-3)) note('read', (await clientOf(one).get('/org')).status);
      const again = { headers: { 'idempotency-key': email } };
      const made = await clientOf(key).post('/org/api-keys', { name: 'New' }, again);
      note('key', made.status);
      note('key', (await clientOf(key).post('/org/api-keys', { name: 'New' }, again)).status);
      note('new key', (await clientOf(made.body.api_key).get('/org')).status);
      note(
        'settings',
        (
          await clientOf(key).patch('/org/settings', {
            http_action_overrides: { hosts: ['https://x.example'], ...http_action_overrides },
          })
        ).status,
      );
      note('file', (await clientOf().get(file)).status);
      await sleep(PAUSE_MS);
    }
  };
  const loads = Array.from({ length: AT_ONCE }, load);

  const accepting = { JWT_SECRETS_ACCEPTED: escaped(NEW), SECRET_KEYS: `${OLD_KEY},${NEW_KEY}` };
  await rollOut(accepting);
  const signing = { JWT_SECRET: NEW, JWT_SECRETS_ACCEPTED: escaped(OLD), SECRET_KEYS: `${NEW_KEY},${OLD_KEY}` };
  await rollOut(signing);
  const { body } = await clientOf(key).post('/org/api-keys', { name: 'Next' });
  issued.push(body.api_key);
  key = body.api_key;
  const { DATABASE_URL } = base.config;
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const code = await runCommand(['secrets', 'reencrypt'], {
    env: { ...signing, DATABASE_URL },
    print,
    printError: print,
  });
  expect({ code, printed: printed.join() }).toMatchObject({
    code: 0,
    printed: expect.stringContaining('unused: remove it'),
  });
  await rollOut({ ...signing, SECRET_KEYS: NEW_KEY });
  issued.splice(0, 1);
  await sleep(20 * PAUSE_MS); // nobody uses the old key any more
  expect((await clientOf(key).delete(`/org/api-keys/${base.org.keyId}`)).status).toBe(200);
  await sleep(10 * PAUSE_MS);
  isLoaded = false;
  await Promise.all(loads);

  expect((await clientOf(base.org.key).get('/org')).status).toBe(401);
  expect([...statuses.keys()].filter((one) => !/ 20[01]$/.test(one))).toEqual([]);
  expect(statuses.get('read 200')).toBeGreaterThan(20);
});
