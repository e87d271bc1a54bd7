import { setTimeout as sleep } from 'node:timers/promises';
import { startApi, type TestApi } from '../support/stack/api.ts';

const MAX_DELAY_MS = 50;
const BLOCK_MS = 4 * MAX_DELAY_MS;
/** Longer than two samples of the load. */
const MAX_WAIT_MS = 20_000;

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ deps: { maxEventLoopDelayMs: MAX_DELAY_MS } });
});
afterAll(() => api.close());

/** Blocks the event loop, as a large computation would. */
function block(): void {
  const until = performance.now() + BLOCK_MS;
  while (performance.now() < until);
}

it('refuses requests with 503 and a time to retry while the event loop is blocked, but not those of an operator, and serves them again afterwards', async () => {
  const statusNow = async () => (await api.org.get('/contacts')).status;
  const giveUpAt = performance.now() + MAX_WAIT_MS;
  let refusal = await api.org.get('/contacts');
  while (refusal.status !== 503 && performance.now() < giveUpAt) {
    block();
    await sleep(1);
    refusal = await api.org.get('/contacts');
  }
  expect(refusal.status).toBe(503);
  expect(refusal.headers.get('retry-after')).toBe('5');
  expect(refusal.body).toMatchObject({ statusCode: 503, message: expect.stringContaining('busy') });

  for (const path of ['/healthz', '/readyz', '/metrics']) {
    block();
    await sleep(1);
    expect([path, (await api.org.get(path)).status]).toEqual([path, 200]);
  }
  expect(await statusNow()).toBe(503);

  while ((await statusNow()) === 503 && performance.now() < giveUpAt + MAX_WAIT_MS) await sleep(200);
  expect(await statusNow()).toBe(200);
});
