import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import {
  APP,
  batchesOf,
  byOauth,
  connectByApp,
  connectCrm,
  deliver,
  deliverSigned,
  eventsOf,
  newMessage,
} from '../webhook-deliveries.ts';

const ADDRESS = '/crm/webhook';
let portal = 1_000;

describe('the webhook of the app', () => {
  let api: TestApi;
  let one: TestOrg;
  let two: TestOrg;
  let portalOne: number;
  let portalTwo: number;
  beforeAll(async () => {
    api = await startApi({ env: APP });
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    [one, two] = [await api.createOrg(), await api.createOrg()];
    [portalOne, portalTwo] = [++portal, ++portal];
    await connectByApp(api, one, portalOne);
    await connectByApp(api, two, portalTwo);
  });

  const post = (events: unknown) => deliverSigned(api, ADDRESS, events, APP.HUBSPOT_CLIENT_SECRET);
  const of = (portalId: number, fields: object = {}) => newMessage(7, { portalId, ...fields });

  it('accepts only requests with a recent version 3 signature by the app’s secret', async () => {
    const events = [of(portalOne)];
    expect((await deliver(api, ADDRESS, events)).status).toBe(401);
    expect((await deliverSigned(api, ADDRESS, events, 'theirs')).status).toBe(401);
    expect((await deliverSigned(api, ADDRESS, events, APP.HUBSPOT_CLIENT_SECRET, Date.now() - 301_000)).status).toBe(
      401,
    );
    expect(await eventsOf(api, one.id)).toEqual([]);
  });

  it('accepts nothing if this installation has no app', async () => {
    const without = await startApi();
    try {
      expect((await deliver(without, ADDRESS, [of(portalOne)])).status).toBe(401);
      expect((await deliverSigned(without, ADDRESS, [of(portalOne)], '')).status).toBe(401);
    } finally {
      await without.close();
    }
  });

  it('gives each org the events of its portal, and stores no data of other orgs for it', async () => {
    const mixed = [
      of(portalOne, { messageId: 'a' }),
      of(portalTwo, { messageId: 'b' }),
      of(portalOne, { messageId: 'c' }),
    ];
    expect(await post(mixed)).toMatchObject({ status: 200, body: {} });
    const keys = async ({ id }: TestOrg) => (await eventsOf(api, id)).map(({ dedupe_key }) => dedupe_key).toSorted();
    expect([await keys(one), await keys(two)]).toEqual([['message/a', 'message/c'], ['message/b']]);
    expect((await batchesOf(api, two.id)).map(({ text }) => JSON.parse(text))).toEqual([[mixed[1]]]);
  });

  it('lets the CRM deliver the events of a portal of two orgs again, tells both, and accepts them once one has left', async () => {
    await connectByApp(api, two, portalOne);
    const errorOf = async ({ get }: TestOrg) => (await get('/integrations')).body.items[0]?.last_error;
    expect(await post([of(portalOne)])).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining(`portal ${portalOne}`) },
    });
    expect([await eventsOf(api, one.id), await eventsOf(api, two.id)]).toEqual([[], []]);
    for (const org of [one, two])
      expect(await errorOf(org)).toContain('another organization has connected this portal');
    await two.delete('/integrations/crm');
    expect((await post([of(portalOne)])).status).toBe(200);
    expect(await eventsOf(api, one.id)).toHaveLength(1);
    expect(await errorOf(one)).toBeNull();
  });

  it('trusts only the CRM’s confirmation of a portal’s owner, whichever org claimed it first', async () => {
    const [claimed, imposter, owner] = [++portal, await api.createOrg(), await api.createOrg()];
    await connectByApp(api, imposter, claimed, portalOne);
    expect((await post([of(claimed)])).status).toBe(404);
    const { items } = (await imposter.get('/integrations')).body;
    expect(items[0]).toMatchObject({ connected: false, last_error: expect.stringContaining(`not of ${claimed}`) });
    await connectCrm(owner, byOauth(claimed));
    await connectCrm(imposter, byOauth(claimed));
    expect((await post([of(claimed)])).status).toBe(503);
    await connectByApp(api, owner, claimed);
    expect((await post([of(claimed)])).status).toBe(200);
    expect([await eventsOf(api, imposter.id), (await eventsOf(api, owner.id)).length]).toEqual([[], 1]);
  });

  it('refuses a batch with an unconfirmed portal until the CRM has confirmed it, and asks the CRM once', async () => {
    const open = await api.createOrg();
    await connectCrm(open, byOauth(++portal));
    const events = [of(portalOne), of(portal)];
    for (let times = 0; times < 2; times++) expect((await post(events)).status).toBe(503);
    expect(await eventsOf(api, one.id)).toHaveLength(1);
    expect(await eventsOf(api, open.id)).toEqual([]);
    const asked = await api.db.selectFrom('outbox').select('workflow_id').where('org_id', '=', open.id).execute();
    const ids = new Set(asked.map(({ workflow_id }) => workflow_id).filter((id) => id?.startsWith('crm-account/')));
    expect(ids.size).toBe(1);
    await connectByApp(api, open, portal);
    expect((await post(events)).status).toBe(200);
    expect(await eventsOf(api, open.id)).toHaveLength(1);
  });

  it('ignores an org with a HubSpot server of its own', async () => {
    const own = await api.createOrg();
    await connectCrm(own, { ...byOauth(++portal), base_url: 'https://hubspot.example.com' });
    expect((await post([of(portal)])).status).toBe(404);
  });

  it.each([
    ['a private app', (id: number) => ({ portal_id: id, access_token: 'pat-2' })],
    ['another app', (id: number) => byOauth(id, 'another-app')],
  ])('still accepts events of a portal that another org has connected by %s', async (_, settings) => {
    const third = await api.createOrg();
    await connectCrm(third, settings(portalOne));
    expect((await post([of(portalOne)])).status).toBe(200);
    expect(await eventsOf(api, one.id)).toHaveLength(1);
    expect(await eventsOf(api, third.id)).toEqual([]);
  });

  it('accepts the events with a known org when others have none', async () => {
    expect((await post([of(999_999)])).status).toBe(404);
    expect((await post([of(portalOne, { portalId: undefined })])).status).toBe(404);
    expect((await post([null, 7, of(999_999), of(portalOne, { portalId: String(portalOne) })])).status).toBe(200);
    expect(await eventsOf(api, one.id)).toHaveLength(1);
  });
});
