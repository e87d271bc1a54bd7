import { createHubspotFactory } from '../../../src/crm/hubspot/client.ts';
import {
  connectionDigestOf,
  createTokenSources,
  type HubspotSettings,
} from '../../../src/crm/hubspot/tokens.service.ts';
import { findConnection } from '../../../src/orgs/integrations/service.ts';
import { createTokenRefresh } from '../../../src/providers/crm/hubspot/oauth.ts';
import { createEgress } from '../../../src/providers/egress/egress.ts';
import { resetBefore, slow, unavailable } from '../../support/fakes/faulty-server.ts';
import { type FakeHubspot, refuses, startFakeHubspot } from '../../support/fakes/hubspot/server.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';

const TOKEN_PATH = '/oauth/v3/token';
const egress = createEgress({ allow: ['127.0.0.0/8'] });

let api: TestApi;
let hubspot: FakeHubspot;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => Promise.all([api.close(), egress.close()]));
beforeEach(async () => {
  [org, hubspot] = await Promise.all([api.createOrg(), startFakeHubspot()]);
});
afterEach(() => hubspot.close());

/** Each call simulates another process: they share only the database. */
const sources = () =>
  createTokenSources({
    db: api.db,
    secrets: api.deps.secrets,
    refreshOf: () => createTokenRefresh(egress, TOKEN_PATH),
  });

async function connectOrg(settings: object, to: TestOrg = org): Promise<HubspotSettings> {
  const body = { provider: 'hubspot', settings: { base_url: hubspot.url, ...settings } };
  expect((await to.put('/integrations/crm', body)).status).toBe(200);
  return settingsOf(to);
}

const settingsOf = async (of: TestOrg = org) =>
  (await findConnection(api.db, api.deps.secrets, of.id, 'crm')) as HubspotSettings;

const shownIntegration = async (of: TestOrg = org) =>
  (await of.get('/integrations')).body.items.find(({ kind }: { kind: string }) => kind === 'crm');

const storedTokens = () => api.db.selectFrom('crm_tokens').selectAll().where('org_id', '=', org.id).execute();

/** Makes the stored tokens expire after this time. */
const expireIn = (ms: number) =>
  api.db
    .updateTable('crm_tokens')
    .set({ expires_at: new Date(Date.now() + ms) })
    .where('org_id', '=', org.id)
    .execute();

const refreshes = () => hubspot.requests('POST', TOKEN_PATH).length;

describe('a configured access token', () => {
  it('is used unchanged', async () => {
    const settings = await connectOrg({ access_token: 'pat-1' });
    expect(await sources()(org.id, settings).get()).toBe('pat-1');
    expect(await storedTokens()).toEqual([]);
    expect(hubspot.requests()).toEqual([]);
  });

  it('is reported on the integration with instructions while HubSpot refuses it, until it is accepted again', async () => {
    const settings = await connectOrg({ access_token: hubspot.accessToken });
    const client = createHubspotFactory({
      db: api.db,
      secrets: api.deps.secrets,
      requests: egress,
      calls: api.deps.calls,
      tokenPath: TOKEN_PATH,
    })(org.id, settings);
    hubspot.revoke(hubspot.accessToken);
    await expect(client.findNote('1')).rejects.toMatchObject({ areCredentialsRefused: true, transient: true });
    expect(await shownIntegration()).toMatchObject({
      connected: false,
      last_error: expect.stringContaining('PUT /integrations/crm'),
    });
    expect(JSON.stringify(await shownIntegration())).not.toContain(hubspot.accessToken);
    hubspot.restore(hubspot.accessToken);
    const { id } = hubspot.addNote({ hs_note_body: 'Hi' }, []);
    await client.findNote(id);
    expect(await shownIntegration()).toMatchObject({ connected: true, last_error: null });
  });

  it('does not affect the state of its replacement when it is refused late', async () => {
    const settings = await connectOrg({ access_token: 'pat-1' });
    const source = sources()(org.id, settings);
    await connectOrg({ access_token: 'pat-2' });
    await source.refuse('pat-1');
    expect(await shownIntegration()).toMatchObject({ connected: null, last_error: null });
  });

  it('does not overwrite the result of a connection test', async () => {
    const settings = await connectOrg({ access_token: 'pat-1' });
    await org.post('/integrations/crm/test');
    const before = await shownIntegration();
    await sources()(org.id, settings).confirm('pat-1');
    expect(await shownIntegration()).toEqual(before);
  });
});

describe('the grant of an app', () => {
  const connectApp = (to?: TestOrg) => connectOrg({ oauth: hubspot.oauth.grant }, to);

  it('yields a token that is stored encrypted and used until 5 minutes before it expires', async () => {
    const settings = await connectApp();
    const token = await sources()(org.id, settings).get();
    expect(hubspot.requests('POST', TOKEN_PATH)[0]?.body).toBe(
      'grant_type=refresh_token&client_id=client-1&client_secret=secret-of-app&refresh_token=refresh-1',
    );
    const [row] = await storedTokens();
    expect(row?.sealed).toMatch(/^v1\./);
    expect(JSON.stringify(row)).not.toContain(token);
    const left = (row?.expires_at?.getTime() ?? 0) - Date.now();
    expect(left).toBeGreaterThan(1_790_000 - 20_000);
    expect(left).toBeLessThanOrEqual(1_800_000);

    await expireIn(5 * 60_000 + 20_000);
    expect(await sources()(org.id, settings).get()).toBe(token);
    expect(refreshes()).toBe(1);
    await expireIn(5 * 60_000 - 1_000);
    expect(await sources()(org.id, settings).get()).not.toBe(token);
    expect(refreshes()).toBe(2);
  });

  it('is used once by all processes that need a token at the same moment', async () => {
    const settings = await connectApp();
    hubspot.next('POST', TOKEN_PATH, slow(300));
    const processes = [sources(), sources(), sources()];
    const got = await Promise.all(
      Array.from({ length: 24 }, (_, n) => processes[n % 3]?.(org.id, settings).get() as Promise<string>),
    );
    expect(new Set(got).size).toBe(1);
    expect(refreshes()).toBe(1);
  });

  it('leaves database connections free while many callers wait for one token', async () => {
    const settings = await connectApp();
    hubspot.next('POST', TOKEN_PATH, slow(4_000));
    const source = sources();
    const waiting = Promise.all(Array.from({ length: 50 }, () => source(org.id, settings).get()));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const from = performance.now();
    expect((await org.get('/integrations')).status).toBe(200);
    expect(performance.now() - from).toBeLessThan(3_000);
    await waiting;
  });

  it('is reported on the integration while HubSpot refuses it, and callers get a retryable error', async () => {
    const settings = await connectApp();
    hubspot.oauth.grant = { ...hubspot.oauth.grant, refresh_token: 'another' };
    const source = sources()(org.id, settings);
    await expect(source.get()).rejects.toMatchObject({ areCredentialsRefused: true, transient: true });
    expect(await shownIntegration()).toMatchObject({
      connected: false,
      last_error: expect.stringContaining('connect the app again'),
    });
    hubspot.oauth.grant = { ...hubspot.oauth.grant, refresh_token: 'refresh-1' };
    const token = await source.get();
    await source.confirm(token);
    expect(await shownIntegration()).toMatchObject({ connected: true, last_error: null });
  });

  it('does not affect the state of its replacement when it is refused late', async () => {
    const settings = await connectApp();
    hubspot.next('POST', TOKEN_PATH, slow(300));
    const old = hubspot.oauth.grant;
    hubspot.oauth.grant = { ...old, refresh_token: 'refresh-2' };
    const refused = sources()(org.id, settings).get();
    const seen = expect(refused).rejects.toMatchObject({ areCredentialsRefused: true });
    await connectApp();
    await seen;
    expect(await shownIntegration()).toMatchObject({ connected: null, last_error: null });
  });

  it('keeps its last token in use until it expires while HubSpot gives no new one', async () => {
    const settings = await connectApp();
    const token = await sources()(org.id, settings).get();
    await expireIn(60_000);
    hubspot.next('POST', TOKEN_PATH, unavailable(), resetBefore);
    expect(await sources()(org.id, settings).get()).toBe(token);
    await expireIn(10_000);
    await expect(sources()(org.id, settings).get()).rejects.toMatchObject({
      transient: true,
      areCredentialsRefused: false,
    });
    expect(await shownIntegration()).toMatchObject({ connected: null, last_error: null });
  });

  it('is refreshed early if its token is refused', async () => {
    const settings = await connectApp();
    const source = sources()(org.id, settings);
    const token = await source.get();
    await source.refuse(token);
    const next = await source.get();
    expect(next).not.toBe(token);
    await source.refuse(token);
    expect(await source.get()).toBe(next);
    expect(refreshes()).toBe(2);
  });

  it('stores a rotated refresh token in the integration, also for callers with the old settings', async () => {
    const settings = await connectApp();
    hubspot.oauth.isRotating = true;
    const token = await sources()(org.id, settings).get();
    const now = await settingsOf();
    expect(now.oauth?.refresh_token).toBe(hubspot.oauth.grant.refresh_token);
    expect(now.oauth?.refresh_token).not.toBe('refresh-1');
    expect(await sources()(org.id, settings).get()).toBe(token);
    expect(await sources()(org.id, now).get()).toBe(token);
    expect(refreshes()).toBe(1);
    expect((await shownIntegration()).settings.oauth.refresh_token).toBe('***');

    await expireIn(0);
    expect(await sources()(org.id, now).get()).not.toBe(token);
    expect((await org.post('/integrations/crm/test')).status).toBe(200);
  });

  it('gets its tokens at the path of the connection, and says so where HubSpot has none there', async () => {
    const token_path = '/oauth/v1/token';
    const settings = await connectOrg({ oauth: hubspot.oauth.grant, token_path });
    const first = await sources()(org.id, settings).get();
    expect(hubspot.requests('POST', token_path)).toHaveLength(1);
    expect(refreshes()).toBe(0);

    hubspot.oauth.paths = [TOKEN_PATH];
    await expireIn(60_000);
    expect(await sources()(org.id, settings).get()).toBe(first);
    await expireIn(0);
    await expect(sources()(org.id, settings).get()).rejects.toMatchObject({ transient: true });
    expect(await shownIntegration()).toMatchObject({
      connected: false,
      last_error: expect.stringMatching(/token_path.*404/),
    });

    const corrected = await connectApp();
    expect(await sources()(org.id, corrected).get()).toMatch(/^oauth-/);
    const path = { provider: 'hubspot', settings: { oauth: hubspot.oauth.grant, token_path: 'https://evil.example' } };
    expect(await org.put('/integrations/crm', path)).toMatchObject({ status: 400 });
  });

  it('is well again once tokens are issued at its path', async () => {
    hubspot.oauth.paths = [];
    const settings = await connectApp();
    const source = sources()(org.id, settings);
    await expect(source.get()).rejects.toMatchObject({ areCredentialsRefused: true });
    hubspot.oauth.paths = [TOKEN_PATH];
    await source.confirm(await source.get());
    expect(await shownIntegration()).toMatchObject({ connected: true, last_error: null });
  });

  it('yields no token for another org', async () => {
    const settings = await connectApp();
    const token = await sources()(org.id, settings).get();
    const another = await api.createOrg();
    const others = await connectApp(another);
    expect(connectionDigestOf(others)).toBe(connectionDigestOf(settings));
    expect(await sources()(another.id, others).get()).not.toBe(token);
    expect(refreshes()).toBe(2);
  });

  it('reveals neither its secrets nor HubSpot’s answer in an error', async () => {
    const settings = await connectApp();
    hubspot.next('POST', TOKEN_PATH, refuses(400, 'bad secret-of-app and refresh-1'));
    const failure = await sources()(org.id, settings)
      .get()
      .catch((error: unknown) => error);
    expect(JSON.stringify([(failure as Error).message, failure])).not.toMatch(/secret-of-app|refresh-1/);
  });
});
