import { revokeKeyAsOperator } from '../../../src/keys/service.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { type OpenEventStream, openEventStream } from '../../support/stack/event-stream.ts';
import { eventually } from '../../support/stack/stack.ts';

let api: TestApi;
const open: OpenEventStream[] = [];
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  for (const stream of open) stream.cut();
  await api.close();
});

const stream = async (key: string) => {
  const opened = await openEventStream(`${api.url}/events`, { key, headers: {} });
  open.push(opened);
  return opened;
};

describe('streams', () => {
  it('streams of one key are at most 100; one that ends makes room for another', async () => {
    const reader = await api.org.withScopes('chat-sessions:read');
    const first = await stream(reader.key);
    for (let n = 1; n < 100; n++) expect((await stream(reader.key)).status).toBe(200);
    const refused = await fetch(`${api.url}/events`, { headers: { authorization: `Bearer ${reader.key}` } });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(((await refused.json()) as { message: string }).message).toContain('100');
    expect((await stream(api.org.key)).status).toBe(200);
    expect((await stream(api.other.key)).status).toBe(200);
    first.cut();
    await eventually('room', async () => (await stream(reader.key)).status === 200);
  });

  it('end soon after the revocation of their key, before the next check of it', async () => {
    const { key, keyId } = await api.other.withScopes('chat-sessions:read');
    const live = await stream(key);
    await revokeKeyAsOperator(api.db, keyId);
    const begun = performance.now();
    await eventually('the end', live.isEnded);
    expect(performance.now() - begun).toBeLessThan(4_000);
  });
});
