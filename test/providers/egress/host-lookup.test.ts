import { lookup } from 'node:dns/promises';
import { createHostLookup } from '../../../src/providers/egress/host-lookup.ts';
import { type FakeDns, startFakeDns } from '../../support/fakes/dns.ts';

let dns: FakeDns;
beforeAll(async () => {
  dns = await startFakeDns();
});
afterAll(() => dns.close());

const ofNobody = Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
const askSystem = async (host: string) => {
  if (host === 'printer.local') return ['192.0.2.9'];
  throw ofNobody;
};
const find = (host: string) => createHostLookup({ servers: [dns.address], askSystem })(host);

describe('the addresses of a host', () => {
  it('are all that DNS has', async () => {
    dns.set('shop.test', { addresses: ['192.0.2.1', '192.0.2.2'] });
    expect(await find('shop.test')).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  it('come from the hosts file where it has the name, without a question to DNS', async () => {
    const [address] = await createHostLookup({ servers: [dns.address] })('LocalHost');
    expect(['127.0.0.1', '::1']).toContain(address);
    expect(dns.queries.map((name) => name.toLowerCase())).not.toContain('localhost');
  });

  it('come from the system where DNS does not have the name', async () => {
    expect(await find('printer.local')).toEqual(['192.0.2.9']);
    await expect(find('nowhere.test')).rejects.toBe(ofNobody);
  });

  it('are not told without an answer of DNS, and waiting for it delays nobody else', async () => {
    const silent = Array.from({ length: 50 }, (_, nth) => `silent-${nth}.test`);
    for (const name of silent) dns.set(name, 'silence');
    const host = createHostLookup({ servers: [dns.address], askSystem });
    let left = silent.length;
    const waiting = Promise.allSettled(silent.map((name) => host(name).finally(() => left--)));
    expect(await host('shop.test')).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(await lookup('localhost')).toMatchObject({ family: expect.any(Number) });
    expect(left).toBe(silent.length);
    for (const result of await waiting)
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'ETIMEOUT' } });
  });
});
