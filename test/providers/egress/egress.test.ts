import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { createAddressCheck } from '../../../src/providers/egress/address-check.ts';
import { createEgress, type EgressOptions } from '../../../src/providers/egress/egress.ts';

interface Hop {
  /** The target of the socket. */
  to: string;
  /** The request as sent over the socket. */
  request: string;
}

/**
 * Creates an egress client with in-memory pipes as sockets: nothing can leave this machine, whatever the address check
 * allows.
 */
function startEgress(
  answers: string[],
  { dns = {}, allow = [] }: { dns?: Record<string, string[]>; allow?: string[] } = {},
) {
  const hops: Hop[] = [];
  const connect = ((
    options: { hostname: string; port: string; protocol: string },
    done: (error: null, socket: Duplex) => void,
  ) => {
    const hop: Hop = { to: options.hostname, request: '' };
    hops.push(hop);
    const socket = new Duplex({
      read() {},
      write(chunk, _encoding, next) {
        hop.request += String(chunk);
        next();
        if (hop.request.includes('\r\n\r\n')) socket.push(answers.shift() ?? response(200, 'ok'));
      },
    });
    queueMicrotask(() =>
      done(null, Object.assign(socket, { setKeepAlive: () => socket, setNoDelay: () => socket, ref() {}, unref() {} })),
    );
    return socket;
  }) as unknown as EgressOptions['connect'];
  const lookup = async (host: string) => dns[host] ?? ['93.184.216.34'];
  return { hops, egress: createEgress({ allow, lookup, connect }) };
}

const response = (status: number, body: string, headers: Record<string, string> = {}) =>
  [
    `HTTP/1.1 ${status} X`,
    ...Object.entries({ 'content-length': Buffer.byteLength(body), connection: 'close', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    '',
    body,
  ].join('\r\n');
const redirect = (location: string, status = 302) => response(status, '', { location });

const NOT_PUBLIC = [
  ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd00::1', 'fc00::1'],
  [
    'link-local and metadata',
    '169.254.0.1',
    '169.254.169.254',
    'fe80::1',
    'fd00:ec2::254',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
  ],
  ['unspecified', '0.0.0.0', '0.1.2.3', '::'],
  ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
  ['multicast and broadcast', '224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
  ['reserved and documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '240.0.0.1', '2001:db8::1'],
  ['mapped', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:169.254.169.254'],
  [
    'translated and tunnelled',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '::ffff:0:127.0.0.1',
  ],
  ['site-local and unassigned', 'fec0::1', '4000::1', '100::1'],
].flatMap(([kind, ...addresses]) => addresses.map((address) => [kind as string, address] as const));

describe('the address check', () => {
  const check = createAddressCheck([]);

  it.each(NOT_PUBLIC)('refuses %s: %s', (_kind, address) => {
    expect(check(address)).toBeDefined();
  });

  it.each(['93.184.216.34', '8.8.8.8', '172.32.0.1', '2606:4700::1', '::ffff:8.8.8.8'])('allows %s', (address) => {
    expect(check(address)).toBeUndefined();
  });

  it.each(['', 'localhost', '1.2.3.4.5', 'fe80::1%eth0', '2606:4700::1%x', '999.1.1.1'])(
    'refuses “%s” as it is no address',
    (text) => {
      expect(check(text)).toBe('malformed');
    },
  );

  it('refuses every private address in each of its notations', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const privateAddress = fc.oneof(
      fc.tuple(fc.constant(10), byte, byte, byte),
      fc.tuple(fc.constant(127), byte, byte, byte),
      fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
      fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
    );
    fc.assert(
      fc.property(privateAddress, ([a, b, c, d]) => {
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        const disguises = [`${a}.${b}.${c}.${d}`, `::ffff:${hex}`, `::${hex}`, `64:ff9b::${hex}`, `2002:${hex}::1`];
        return disguises.every((address) => check(address) !== undefined);
      }),
    );
  });

  it('allows the networks of EGRESS_ALLOW, and only those', () => {
    const lenient = createAddressCheck(['10.1.0.0/16', 'fd00::/8', '127.0.0.1']);
    expect(['10.1.2.3', '::ffff:10.1.2.3', 'fd12::1', '127.0.0.1'].map(lenient)).toEqual(Array(4).fill(undefined));
    expect(['10.2.0.1', '127.0.0.2', '::1', '169.254.169.254'].every((address) => lenient(address) !== undefined)).toBe(
      true,
    );
    expect(() => createAddressCheck(['10.0.0.0/99'])).toThrow('EGRESS_ALLOW');
  });
});

describe('a request', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0/',
    'https://10.0.0.1/',
    'http://１２７.０.０.１/',
  ])('opens no socket for %s', async (url) => {
    const { egress, hops } = startEgress([]);
    await expect(egress.request(url)).rejects.toThrow(/not a public address .*EGRESS_ALLOW/);
    expect(hops).toEqual([]);
  });

  it.each(NOT_PUBLIC)('opens no socket for a name that resolves to %s: %s', async (_kind, address) => {
    const { egress, hops } = startEgress([], { dns: { 'evil.example': [address] } });
    await expect(egress.request('http://evil.example/')).rejects.toThrow('not a public address');
    await expect(egress.resolve('evil.example')).rejects.toThrow('not a public address');
    await expect(egress.connect('evil.example', 25)).rejects.toThrow('not a public address');
    expect(hops).toEqual([]);
  });

  it('opens no socket for a name with one private address among public ones', async () => {
    const { egress, hops } = startEgress([], { dns: { 'mixed.example': ['93.184.216.34', '10.0.0.1'] } });
    await expect(egress.request('http://mixed.example/')).rejects.toThrow('10.0.0.1');
    expect(hops).toEqual([]);
  });

  it('connects to the checked address, not to the name', async () => {
    const { egress, hops } = startEgress([response(200, '{"a":1}')], { dns: { 'api.example': ['93.184.216.34'] } });
    const answer = await egress.request('http://api.example/x', { headers: { authorization: 'Bearer t' } });
    expect(answer).toMatchObject({ status: 200, body: '{"a":1}', url: 'http://api.example/x' });
    expect(hops[0]?.to).toBe('93.184.216.34');
    expect(hops[0]?.request).toMatch(/^GET \/x HTTP\/1.1\r\nhost: api\.example\r\n/i);
  });

  it('resolves and checks the name at every connection, so a changed DNS answer is refused', async () => {
    const dns = { 'rebind.example': ['93.184.216.34'] };
    const { egress, hops } = startEgress([], { dns });
    await egress.request('http://rebind.example/');
    dns['rebind.example'] = ['127.0.0.1'];
    await expect(egress.request('http://rebind.example/')).rejects.toThrow('not a public address');
    expect(hops).toHaveLength(1);
  });

  it.each([
    'ftp://api.example/',
    'file:///etc/passwd',
    'gopher://x/',
    'data:text/plain,x',
    'nonsense',
    'http://user:pass@api.example/',
  ])('refuses %s', async (url) => {
    const { egress, hops } = startEgress([]);
    await expect(egress.request(url)).rejects.toThrow();
    expect(hops).toEqual([]);
  });

  it('reaches a private network allowed by EGRESS_ALLOW', async () => {
    const { egress, hops } = startEgress([], { allow: ['10.0.0.0/8'] });
    expect((await egress.request('http://10.1.2.3/')).status).toBe(200);
    expect(hops[0]?.to).toBe('10.1.2.3');
  });
});

describe('redirects', () => {
  it('are followed at most three times', async () => {
    const three = [redirect('/b'), redirect('/c'), redirect('/d'), response(200, 'end')];
    expect((await startEgress(three).egress.request('http://a.example/a')).body).toBe('end');
    const four = [...'bcde'].map((path) => redirect(`/${path}`));
    await expect(startEgress(four).egress.request('http://a.example/a')).rejects.toThrow('more than 3 times');
  });

  it.each(['http://127.0.0.1/', 'http://169.254.169.254/', 'http://inner.example/', '//[::1]/', 'file:///etc/passwd'])(
    'are checked like the first address: %s',
    async (location) => {
      const { egress, hops } = startEgress([redirect(location)], { dns: { 'inner.example': ['192.168.0.1'] } });
      await expect(egress.request('http://a.example/')).rejects.toThrow(/not a public address|not contacted/);
      expect(hops).toHaveLength(1);
    },
  );

  it('send credentials only to the same host', async () => {
    const headers = { authorization: 'Bearer t', 'x-api-key': 'k', cookie: 'c=1', accept: 'application/json' };
    const same = startEgress([redirect('/there')]);
    await same.egress.request('http://a.example/', { headers });
    expect(same.hops[1]?.request).toMatch(/authorization: Bearer t/i);

    for (const location of ['http://b.example/', 'http://a.example:8080/']) {
      const { egress, hops } = startEgress([redirect(location)]);
      await egress.request('http://a.example/', { headers });
      expect(hops[1]?.request).not.toMatch(/authorization|x-api-key|cookie/i);
      expect(hops[1]?.request).toMatch(/accept: application\/json/i);
    }
  });

  it('turn a POST into a GET, or repeat it only at the same host', async () => {
    const post = { method: 'POST', body: 'secret=1' } as const;
    const turned = startEgress([redirect('http://b.example/', 303)]);
    await turned.egress.request('http://a.example/', post);
    expect(turned.hops[1]?.request).toMatch(/^GET /);
    expect(turned.hops[1]?.request).not.toContain('secret');

    const kept = startEgress([redirect('/again', 307)]);
    await kept.egress.request('http://a.example/', post);
    expect(kept.hops[1]?.request).toMatch(/^POST (.|\s)*secret=1$/);

    const { egress, hops } = startEgress([redirect('http://b.example/', 308)]);
    await expect(egress.request('http://a.example/', post)).rejects.toThrow('must not get');
    expect(hops).toHaveLength(1);
  });
});

describe('the limits of a request', () => {
  it('end a response that is too long', async () => {
    const { egress } = startEgress([response(200, 'x'.repeat(2_000))]);
    await expect(egress.request('http://a.example/', { maxBytes: 1_000 })).rejects.toThrow('more than 1000 bytes');
    const { egress: byDefault } = startEgress([response(200, 'x'.repeat(1024 * 1024 + 1))]);
    await expect(byDefault.request('http://a.example/')).rejects.toThrow('more than 1048576 bytes');
  });

  it('end a response that takes too long', async () => {
    const { egress } = startEgress(['HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf']);
    const startedAt = Date.now();
    await expect(egress.request('http://a.example/', { timeoutMs: 300 })).rejects.toThrow('did not answer in time');
    expect(Date.now() - startedAt).toBeLessThan(2_000);
  });

  it('report a host without an address', async () => {
    const { egress } = startEgress([], { dns: { 'none.example': [] } });
    await expect(egress.request('http://none.example/')).rejects.toMatchObject({
      transient: true,
      message: expect.stringContaining('no address'),
    });
  });
});

describe('a truncated answer', () => {
  it('is its first bytes, however long it is, and none where its body never comes', async () => {
    const long = startEgress([response(500, 'x'.repeat(10_000))]);
    const answer = await long.egress.request('http://example.com/', { truncateAtBytes: 1_024 });
    expect(answer).toMatchObject({ status: 500, body: 'x'.repeat(1_024) });

    const unfinished = startEgress(['HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\nbegun']);
    const late = await unfinished.egress.request('http://example.com/', { truncateAtBytes: 1_024, timeoutMs: 300 });
    expect(late).toMatchObject({ status: 200, body: 'begun' });
  });

  it('is a failure where not even its status comes in time', async () => {
    const { egress } = startEgress(['HTTP/1.1']);
    const request = egress.request('http://example.com/', { truncateAtBytes: 1_024, timeoutMs: 300 });
    await expect(request).rejects.toMatchObject({ problem: 'timeout' });
  });
});
