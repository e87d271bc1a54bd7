import { createEgress, type EgressRequest } from '../../../src/providers/egress/egress.ts';
import { resetAfter, resetBefore, slow, startFaultyServer } from '../../support/fakes/faulty-server.ts';

const LOOPBACK = ['127.0.0.0/8'];
const POST: EgressRequest = { method: 'POST', body: 'amount=1' };

/** Starts a host whose reaction to a POST depends on its path. */
const startHost = () =>
  startFaultyServer(
    ({ url }) => {
      const to = url.searchParams.get('to');
      return to === null ? { status: 200, body: 'x'.repeat(2_000) } : { status: 307, headers: { location: to } };
    },
    ({ url }) => ({ '/reset-before': resetBefore, '/reset-after': resetAfter, '/slow': slow(2_000) })[url.pathname],
  );

describe('a request without a response', () => {
  const egress = createEgress({ allow: LOOPBACK });
  let host: Awaited<ReturnType<typeof startHost>>;
  let closedPort: string;

  beforeAll(async () => {
    host = await startHost();
    const gone = await startHost();
    await gone.close();
    closedPort = gone.url;
  });
  afterAll(async () => {
    await egress.close();
    await host.close();
  });

  const failureOf = (path: string, options: EgressRequest = POST, client = egress) =>
    client.request(path.startsWith('/') ? host.url + path : path, options).then(
      () => undefined,
      (error: unknown) => error,
    );

  it('cannot have arrived if the connection was refused', async () => {
    expect(await failureOf(closedPort)).toMatchObject({
      mayHaveArrived: false,
      transient: true,
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ could not be reached: nothing answers there \(ECONNREFUSED\)$/),
    });
  });

  it('cannot have arrived if the host has no address or its lookup failed', async () => {
    const lookups = [async () => [], () => Promise.reject(new Error('SERVFAIL'))];
    for (const lookup of lookups) {
      const lost = createEgress({ allow: [], lookup });
      expect(await failureOf('http://a.example/', POST, lost)).toMatchObject({
        mayHaveArrived: false,
        transient: true,
      });
      await lost.close();
    }
  });

  it('cannot have arrived if we refused to send it', async () => {
    const guarded = createEgress({ allow: [] });
    for (const url of [host.url, 'ftp://a.example/', 'nonsense', 'http://user:pass@a.example/']) {
      expect(await failureOf(url, POST, guarded)).toMatchObject({ mayHaveArrived: false, transient: false });
    }
    await guarded.close();
  });

  it.each(['/reset-before', '/reset-after'])('may have arrived if the connection broke: %s', async (path) => {
    expect(await failureOf(path)).toMatchObject({ mayHaveArrived: true, transient: true });
  });

  it('may have arrived if the response timed out', async () => {
    expect(await failureOf('/slow', { ...POST, timeoutMs: 200 })).toMatchObject({
      mayHaveArrived: true,
      transient: true,
    });
  });

  it('has arrived if the response was too long', async () => {
    expect(await failureOf('/', { ...POST, maxBytes: 100 })).toMatchObject({ mayHaveArrived: true, transient: false });
  });

  it('has arrived once it was redirected, whatever follows', async () => {
    const refused = await failureOf('/?to=http://b.example/');
    expect(refused).toMatchObject({ mayHaveArrived: true, transient: false, message: expect.stringContaining('body') });
    const unreachable = await failureOf(`/?to=${closedPort}/`, { method: 'GET' });
    expect(unreachable).toMatchObject({ mayHaveArrived: true, transient: true });
    const unchecked = await failureOf('/?to=http://10.0.0.1/', { method: 'GET' });
    expect(unchecked).toMatchObject({ mayHaveArrived: true, transient: false });
  });
});
