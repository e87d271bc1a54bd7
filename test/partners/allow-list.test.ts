import { allowFrom, deactivatePartner } from '../../src/partners/service.ts';
import { type ApiOptions, startApi, type TestApi } from '../support/stack/api.ts';

const ORGS = '/partner/v1/orgs';
const started: TestApi[] = [];
afterAll(() => Promise.all(started.map((api) => api.close())));

async function start(env: ApiOptions['env']) {
  const api = await startApi({ env });
  started.push(api);
  return api;
}
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

describe('the allow list of a partner behind a trusted proxy', () => {
  it('checks the address in X-Forwarded-For', async () => {
    const api = await start({ TRUSTED_PROXIES: '127.0.0.0/8' });
    const partner = await api.createPartner({ allowed_ips: ['203.0.113.0/24', '2001:db8:5::/48'] });

    expect((await partner.get(ORGS, from('203.0.113.9'))).status).toBe(200);
    expect((await partner.get(ORGS, from('2001:db8:5::1'))).status).toBe(200);
    const refused = await partner.get(ORGS, from('198.51.100.1'));
    expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining('198.51.100.1') } });
    expect((await partner.get(ORGS, from('2001:db8:6::1'))).status).toBe(403);
    expect((await partner.get(ORGS)).status).toBe(403);
  });

  it('trusts the address added by the proxy, not those sent by the client', async () => {
    const api = await start({ TRUSTED_PROXIES: '127.0.0.0/8' });
    const partner = await api.createPartner({ allowed_ips: ['203.0.113.0/24'] });
    expect((await partner.get(ORGS, from('203.0.113.9, 198.51.100.1'))).status).toBe(403);
    expect((await partner.get(ORGS, from('198.51.100.1, 203.0.113.9'))).status).toBe(200);
    expect((await partner.get(ORGS, from('not an address'))).status).toBe(403);
  });

  it('applies to every partner endpoint, and after the check of the key', async () => {
    const api = await start({ TRUSTED_PROXIES: '127.0.0.0/8' });
    const partner = await api.createPartner({ allowed_ips: ['203.0.113.0/24'] });
    const org = await api.createOrg('Org', partner);
    const elsewhere = from('198.51.100.1');
    for (const answer of [
      await partner.post(ORGS, { name: 'X' }, elsewhere),
      await partner.get(ORGS, elsewhere),
      await partner.get(`${ORGS}/by-external-id/x`, elsewhere),
      await partner.post(`${ORGS}/${org.id}/api-keys`, {}, elsewhere),
      await partner.post(`${ORGS}/${org.id}/login-links`, { email: 'a@b.example' }, elsewhere),
    ]) {
      expect(answer.status).toBe(403);
    }
    expect((await api.client('nonsense').get(ORGS, elsewhere)).status).toBe(401);
  });
});

describe('the allow list of a partner without trusted proxies', () => {
  it('ignores X-Forwarded-For', async () => {
    const api = await start({});
    const partner = await api.createPartner({ allowed_ips: ['203.0.113.0/24'] });
    expect((await partner.get(ORGS, from('203.0.113.9'))).status).toBe(403);
    const local = await api.createPartner({ allowed_ips: ['127.0.0.1'] });
    expect((await local.get(ORGS, from('198.51.100.1'))).status).toBe(200);
  });

  it('accepts any address when it is empty, and follows changes within a second', async () => {
    const api = await start({});
    expect((await api.partner.get(ORGS)).status).toBe(200);
    await allowFrom(api.db, api.partner.id, ['203.0.113.7']);
    await eventually(async () => expect((await api.partner.get(ORGS)).status).toBe(403));
    await allowFrom(api.db, api.partner.id, []);
    await eventually(async () => expect((await api.partner.get(ORGS)).status).toBe(200));
  });

  it('does not matter for an inactive partner: every key is refused with 401, while its orgs keep working', async () => {
    const api = await start({});
    await deactivatePartner(api.db, api.partner.id);
    await eventually(async () => expect((await api.partner.get(ORGS)).status).toBe(401));
    expect((await api.org.get('/org')).status).toBe(200);
  });

  it.each(['203.0.113.0/33', '203.0.113', 'x', '::1/129', '1.2.3.4/', '1.2.3.4/8/8'])(
    'refuses the malformed entry %s',
    async (cidr) => {
      const api = started[0] as TestApi;
      await expect(allowFrom(api.db, api.partner.id, [cidr])).rejects.toThrow('neither an IP address nor a CIDR');
    },
  );
});

/** Waits at most a second: every change must be effective by then. */
async function eventually(check: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 1_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
