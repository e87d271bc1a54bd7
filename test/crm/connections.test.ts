import { unavailable } from '../support/fakes/faulty-server.ts';
import { type FakeHubspot, startFakeHubspot } from '../support/fakes/hubspot/server.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { APP, deliverSigned, eventsOf, newMessage } from './webhook-deliveries.ts';

const ACCOUNT = '/account-info/v3/details';

let stack: Stack;
let hubspot: FakeHubspot;
beforeAll(async () => {
  hubspot = await startFakeHubspot();
  stack = await startStack({ env: { ...APP, HUBSPOT_BASE_URL: hubspot.url, EGRESS_ALLOW: '127.0.0.0/8' } });
  hubspot.oauth.grant = { client_id: APP.HUBSPOT_CLIENT_ID, client_secret: 'theirs', refresh_token: 'refresh' };
});
afterAll(async () => {
  await hubspot.close();
  await stack.close();
});

const connect = (org: TestOrg, portal_id: number, { refresh_token = 'refresh', base_url = hubspot.url } = {}) =>
  org.put('/integrations/crm', {
    provider: 'hubspot',
    settings: { base_url, portal_id, oauth: { ...hubspot.oauth.grant, refresh_token } },
  });
const post = async (portalId: number) =>
  (await deliverSigned(stack, '/crm/webhook', [newMessage(7, { portalId })], APP.HUBSPOT_CLIENT_SECRET)).status;
const postUntil = (portalId: number, status: number) =>
  eventually(`a ${status}`, async () => (await post(portalId)) === status);
const crmOf = async (org: TestOrg) => (await org.get('/integrations')).body.items[0];

describe('the owner of a HubSpot portal', () => {
  it('is the org whose credentials HubSpot confirms, however early other orgs claim the portal', async () => {
    const [imposter, fake, owner] = [await stack.createOrg(), await stack.createOrg(), await stack.createOrg()];
    const own = await startFakeHubspot();
    try {
      own.account.portalId = 5_001;
      own.oauth.grant = hubspot.oauth.grant;
      hubspot.account.portalId = 4_000;
      await connect(imposter, 5_001);
      await connect(fake, 5_001, { base_url: own.url });
      await eventually('a refusal', async () => (await crmOf(imposter)).last_error !== null);
      expect((await crmOf(imposter)).last_error).toContain('account 4000, not of 5001');
      await eventually('an answer of the server posing as HubSpot', async () => (await crmOf(fake)).connected !== null);
      expect(await post(5_001)).toBe(404);

      hubspot.account.portalId = 5_001;
      expect((await connect(owner, 5_001)).status).toBe(200);
      await postUntil(5_001, 200);
      expect([await eventsOf(stack, imposter.id), await eventsOf(stack, fake.id)]).toEqual([[], []]);
      expect(await eventsOf(stack, owner.id)).toHaveLength(1);
    } finally {
      await own.close();
    }
  });

  it('is confirmed again after a change of settings, with retries until HubSpot is back', async () => {
    const org = await stack.createOrg();
    hubspot.account.portalId = 5_002;
    hubspot.next('GET', ACCOUNT, unavailable(), unavailable());
    await connect(org, 5_002);
    expect(await post(5_002)).toBe(503);
    await postUntil(5_002, 200);
    hubspot.account.portalId = 5_003;
    await connect(org, 5_002);
    await postUntil(5_002, 404);
  });

  it('is nobody while HubSpot refuses the grant, and the integration says how to fix it', async () => {
    const org = await stack.createOrg();
    hubspot.account.portalId = 5_004;
    await connect(org, 5_004, { refresh_token: 'made up' });
    await postUntil(5_004, 404);
    expect((await crmOf(org)).last_error).toContain('PUT /integrations/crm');
  });

  it('makes the connection test fail if the credentials belong to another portal', async () => {
    const org = await stack.createOrg();
    hubspot.account.portalId = 5_005;
    await connect(org, 5_006);
    const { body } = await org.post('/integrations/crm/test');
    expect(body).toEqual({ connected: false, message: expect.stringContaining('5005') });
    await connect(org, 5_005);
    expect((await org.post('/integrations/crm/test')).body).toMatchObject({ connected: true });
  });
});

describe('a handoff without a working connection', () => {
  it('waits while nothing is connected, and continues as soon as a CRM is connected', async () => {
    const org = await stack.createOrg();
    await org.patch('/org/settings', { handoff_target: 'crm' });
    const { id } = (await org.post('/chat/sessions', {})).body;
    const { body } = await org.post(`/chat/sessions/${id}/handoff`, {});
    expect(body.handoff.state).toBe('pending');
    await eventually('a round that failed', async () => {
      const run = await stack.temporal.workflow
        .getHandle(`handoff/${id}/1`)
        .describe()
        .catch(() => undefined);
      const { events } =
        run === undefined ? { events: [] } : await stack.temporal.workflow.getHandle(`handoff/${id}/1`).fetchHistory();
      return events?.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes != null);
    });
    expect((await org.post(`/chat/sessions/${id}/handoff/settle`, { part: 'ticket' })).status).toBe(409);
    expect((await org.post(`/chat/sessions/${id}/handoff/retry`)).body.handoff.state).toBe('pending');
    await org.put('/integrations/crm', {
      provider: 'hubspot',
      settings: { base_url: hubspot.url, access_token: hubspot.accessToken },
    });
    await eventually('a ticket', async () => (await org.get(`/chat/sessions/${id}`)).body.handoff.state === 'done');
  });

  it('waits while the CRM’s address is unreachable, and continues once the address is replaced', async () => {
    const org = await stack.createOrg();
    await org.patch('/org/settings', { handoff_target: 'crm' });
    const put = (base_url: string) =>
      org.put('/integrations/crm', { provider: 'hubspot', settings: { base_url, access_token: hubspot.accessToken } });
    await put('http://10.1.2.3');
    const { id } = (await org.post('/chat/sessions', {})).body;
    await org.post(`/chat/sessions/${id}/handoff`, {});
    const partOf = async () =>
      (await org.get(`/chat/sessions/${id}`)).body.handoff.parts.find(
        ({ part }: { part: string }) => part === 'ticket',
      );
    await eventually('a parked ticket', async () => (await partOf())?.state === 'parked');
    expect((await partOf()).error).toContain('10.1.2.3');
    await put(hubspot.url);
    await eventually('a ticket', async () => (await partOf()).state === 'done');
  });
});
