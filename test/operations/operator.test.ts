import { sql } from 'kysely';
import { recordConstraintErrors } from '../../src/automations/runs/start-runs.queries.ts';
import { runCommand } from '../../src/cli/commands.ts';
import { newId } from '../../src/ids.ts';
import { deleteOldOperatorActions } from '../../src/operations/operator/actions.service.ts';
import { CONDITION_KINDS } from '../../src/overview/attention/conditions.ts';
import { OWN_PAGE, signIn, withCookie } from '../sign-in/signing-in.ts';
import { type Client, startApi, type TestApi } from '../support/stack/api.ts';

const READS = ['state', 'orgs', 'outbox', 'parked', 'queues', 'providers', 'incidents', 'limits', 'actions'];
const OF_CUSTOMER = 'zoe@customer.example';

let api: TestApi;
let key: string;
let operator: Client;

beforeAll(async () => {
  api = await startApi({ env: { TEMPORAL_UI_URL: 'https://temporal.example', TEMPORAL_ADDRESS: '127.0.0.1:9' } });
  key = (await cli('operator', 'create', '--name', 'Night shift')).key;
  operator = api.client(key);
});
afterAll(() => api.close());

async function cli(...args: string[]) {
  const { DATABASE_URL, JWT_SECRET, PUBLIC_URL } = api.config;
  const env = { DATABASE_URL, JWT_SECRET, PUBLIC_URL, SECRET_KEYS: `k:${Buffer.alloc(32).toString('base64')}` };
  let printed = '';
  const code = await runCommand([...args, '--json'], {
    env,
    print: (text) => {
      printed += text;
    },
    printError: (text) => {
      printed += text;
    },
  });
  if (code !== 0) throw new Error(printed);
  return JSON.parse(printed);
}

const raw = (path: string, init: RequestInit = {}) => fetch(api.url + path, { redirect: 'manual', ...init });
const signInBy = async (url: string) => {
  const token = new URL(url).searchParams.get('token') ?? '';
  return raw('/operator/sign-in', { method: 'POST', headers: OWN_PAGE, body: new URLSearchParams({ token }) });
};

async function parkEvent(): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into outbox (org_id, kind, type, subject_id, payload, attempts, interruptions, last_error, available_at)
    values (${api.org.id}, 'event', 'contact-created', ${newId()}, '{}', 6, 6, ${`It ended: ${OF_CUSTOMER}`}, 'infinity')
    returning id::text
  `.execute(api.db);
  return rows[0]?.id ?? '';
}

describe("the operator's key", () => {
  it('reads the state of the installation, and nothing of an org', async () => {
    for (const part of READS) expect([part, (await operator.get(`/operator/v1/${part}`)).status]).toEqual([part, 200]);
    for (const path of ['/contacts', '/org', '/me', '/audit', '/members', '/partner/v1/orgs'])
      expect([path, (await operator.get(path)).status]).toEqual([path, 401]);
    expect((await operator.post('/contacts', { contact: { email: 'a@b.example' } })).status).toBe(401);
  });

  it('is the only key that does, and a wrong one gets the same answer as none that exists', async () => {
    const [, id] = /^swbop_([0-9a-f-]{36})_/.exec(key) ?? [];
    const wrong = [
      api.org.key,
      api.partner.key,
      `${key}x`,
      `swbop_${id}_${'A'.repeat(43)}`,
      `swbop_${newId()}_${key.slice(-43)}`,
      'swbop_',
    ];
    const answers = await Promise.all(wrong.map((one) => api.client(one).get('/operator/v1/orgs')));
    for (const { status, body } of answers)
      expect({ status, message: body.message }).toEqual({
        status: 401,
        message: 'The API key is not valid or was revoked',
      });
    const admin = await signIn(api, 'admin');
    expect((await admin.get('/operator/v1/orgs')).status).toBe(401);
    expect((await api.client().get('/operator/v1/orgs')).status).toBe(401);
  });

  it('is stored as a hash alone, and is refused once it is revoked', async () => {
    const other = await cli('operator', 'create', '--name', 'Old');
    const secret = other.key.slice(-43);
    const { rows } = await sql<{ text: string }>`select operator_keys::text as text from operator_keys`.execute(api.db);
    expect(rows.some(({ text }) => text.includes(secret) || text.includes(Buffer.from(secret).toString('hex')))).toBe(
      false,
    );
    expect((await api.client(other.key).get('/operator/v1/orgs')).status).toBe(200);
    await cli('operator', 'revoke', other.key_id);
    expect((await api.client(other.key).get('/operator/v1/orgs')).status).toBe(401);
    expect((await cli('operator', 'list')).length).toBe(2);
  });
});

describe("the operator's session", () => {
  it('begins by a link that works once, behind a button that a scanner does not press', async () => {
    const { url } = await cli('operator', 'login', '--name', 'Ann');
    const path = `/operator/sign-in${new URL(url).search}`;
    expect((await raw(path)).status).toBe(200);
    expect(await (await raw(path)).text()).toContain('<strong>Ann</strong>');
    const signedIn = await signInBy(url);
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/console/operator']);
    const cookie = signedIn.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^switchboard_operator=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/);
    expect((await signInBy(url)).status).toBe(410);
    expect((await raw(path)).status).toBe(410);

    const session = withCookie(api, cookie.split(';')[0] ?? '');
    const { body } = await session.get('/operator/v1/state');
    expect(body.operator).toMatchObject({ name: 'Ann', via: 'session' });
    for (const org of ['/contacts', '/me']) expect([org, (await session.get(org)).status]).toEqual([org, 401]);
    const token = (cookie.split(';')[0] ?? '').split('=')[1] ?? '';
    expect((await withCookie(api, `switchboard_session=${token}`).get('/me')).status).toBe(401);
    expect((await api.client(token).get('/operator/v1/state')).status).toBe(401);

    expect((await session.post('/operator/v1/logout')).status).toBe(204);
    expect((await session.get('/operator/v1/state')).status).toBe(401);
  });

  it('is refused from pages of other sites, and to members', async () => {
    const { url } = await cli('operator', 'login');
    const cookie = ((await signInBy(url)).headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    for (const site of ['cross-site', 'same-site', 'none'])
      expect([
        site,
        (
          await raw('/operator/v1/sending', {
            method: 'PUT',
            headers: { cookie, 'sec-fetch-site': site, 'content-type': 'application/json' },
            body: '{"state":"paused"}',
          })
        ).status,
      ]).toEqual([site, 403]);
    expect((await raw('/operator/v1/orgs', { headers: { cookie, 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
    const { url: another } = await cli('operator', 'login');
    const token = new URL(another).searchParams.get('token') ?? '';
    const foreign = { 'sec-fetch-site': 'cross-site' };
    expect(
      (await raw('/operator/sign-in', { method: 'POST', headers: foreign, body: new URLSearchParams({ token }) }))
        .status,
    ).toBe(403);
    const admin = await signIn(api, 'admin');
    const asOperator = admin.cookie.replace('switchboard_session', 'switchboard_operator');
    expect((await withCookie(api, asOperator).get('/operator/v1/orgs')).status).toBe(401);
    await cli('operator', 'logout');
    expect((await withCookie(api, cookie).get('/operator/v1/orgs')).status).toBe(401);
    expect((await signInBy(another)).status).toBe(410);
  });
});

describe('what the operator sees', () => {
  it('counts what each org has, page by page', async () => {
    await api.other.post('/contacts', { contact: { email: OF_CUSTOMER } });
    const first = await operator.get('/operator/v1/orgs?limit=1');
    const second = await operator.get(`/operator/v1/orgs?limit=1&cursor=${first.body.next}`);
    const items = [...first.body.items, ...second.body.items];
    expect(items.map(({ id }: { id: string }) => id)).toEqual([api.org.id, api.other.id]);
    expect(items[1]).toMatchObject({ name: 'Other org', contacts: 1, open_sessions: 0, partner_id: api.partner.id });
    expect(second.body.next).toBeNull();
  });

  it('has parked events, releases one once, and counts what fails', async () => {
    await sql`delete from outbox`.execute(api.db);
    const id = await parkEvent();
    const { body } = await operator.get('/operator/v1/parked');
    expect(body.items).toEqual([expect.objectContaining({ id, org_id: api.org.id, type: 'contact-created' })]);
    expect((await operator.get('/operator/v1/outbox')).body).toMatchObject({ parked: 1, failing: 0 });
    expect((await operator.post(`/operator/v1/parked/${id}/release`)).body).toEqual({ id, released: true });
    const again = await operator.post(`/operator/v1/parked/${id}/release`);
    const unknown = await operator.post('/operator/v1/parked/999999/release');
    expect([again.status, unknown.status, again.body.message]).toEqual([404, 404, unknown.body.message]);
    expect((await operator.post('/operator/v1/parked/x/release')).status).toBe(400);
    await sql`update outbox set attempts = 3, created_at = now() - interval '1 hour' where id = ${id}::bigint`.execute(
      api.db,
    );
    const { body: outbox } = await operator.get('/operator/v1/outbox');
    expect(outbox).toMatchObject({ parked: 0, failing: 1, items: [{ id, attempts: 3 }] });
    expect(outbox.oldest_seconds).toBeGreaterThan(3_599);
    await sql`delete from outbox where id = ${id}::bigint`.execute(api.db);
  });

  it('lists incidents of all orgs, and shows no text of a customer', async () => {
    await parkEvent();
    const filter = { or: [{ and: [{ type: 'all_contacts' }] }] };
    const sms = { delay_in_minutes: 0, action: { type: 'send_sms_messages', data: { message: 'Hello' } } };
    const { body: sequence } = await api.org.post('/sequences', { filter, steps: [sms], name: OF_CUSTOMER });
    await sql`update sequences set status = 'paused', paused_at = now(), paused_reason = ${`SMS is away: ${OF_CUSTOMER}`}
      where id = ${sequence.id}`.execute(api.db);
    await sql`insert into integrations (org_id, kind, provider, settings, failing_since, last_error)
      values (${api.org.id}, 'crm', 'hubspot', '{}', now(), ${`HubSpot 401: "${OF_CUSTOMER}"`})`.execute(api.db);
    await sql`insert into sending_domains (org_id, id, domain, selector, public_key, private_key, status, checked_at)
      values (${api.org.id}, ${newId()}, 'mail.acme.example', 's', 'k', 'private-51c0', 'failed', now())`.execute(
      api.db,
    );
    const { body } = await operator.get('/operator/v1/incidents');
    expect(body.items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'sequence_paused', org_id: api.org.id, ref: sequence.id }),
        expect.objectContaining({
          kind: 'integration_failing',
          ref: 'crm/Default',
          reason: expect.stringContaining('HubSpot 401'),
        }),
        expect.objectContaining({ kind: 'domain_broken', ref: 'mail.acme.example' }),
      ]),
    );
    const answers = await Promise.all(READS.map((part) => operator.get(`/operator/v1/${part}`)));
    const text = JSON.stringify(answers.map(({ body: answer }) => answer));
    for (const hidden of [OF_CUSTOMER, 'private-51c0']) expect(text).not.toContain(hidden);
  });

  it('lists what the orgs themselves see at Home: no more, no less', async () => {
    const { org } = api;
    const step = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 60 } };
    const workflow = async (name: string) =>
      (await org.post('/workflows', { name, trigger_type: 'manual-trigger', workflow_blocks: [step] })).body
        .workflow_id;
    const [active, inactive, failing] = [await workflow('Active'), await workflow('Inactive'), await workflow('Later')];
    for (const id of [active, active, failing]) {
      await org.post(`/workflows/${id}/activate`, {});
      await org.post(`/workflows/${id}/trigger`, { input: {} });
    }
    await sql`update automation_runs set status = 'failed' where automation_id = ${active}`.execute(api.db);
    for (const id of [active, inactive])
      await api.db.transaction().execute((trx) => {
        const failure = { count: 1, message: `No such variable: ${OF_CUSTOMER}` };
        return recordConstraintErrors(trx, org.id, id, failure);
      });
    await sql`update automations set updated_at = now() + interval '1 hour' where id = ${active}`.execute(api.db);
    await sql`insert into sending_domains (org_id, id, domain, selector, public_key, private_key, status)
      values (${org.id}, ${newId()}, 'removed.acme.example', 's', 'k', 'p', 'pending')`.execute(api.db);
    const hook = async (because: string) => {
      const id = newId();
      await sql`insert into webhook_endpoints (org_id, id, url, event_types, payload, ordered, header_names, secret, enabled, disabled_because, disabled_at)
        values (${org.id}, ${id}, 'https://hook.example/', '{}', 'full', false, '{}', 's', false, ${because}, now())`.execute(
        api.db,
      );
      return id;
    };
    const [gone] = [await hook('gone'), await hook('by_hand')];
    await sql`insert into integrations (org_id, kind, provider, connected, has_standing_error, last_error)
      values (${org.id}, 'voice', 'vapi', false, true, 'It is another portal')`.execute(api.db);
    const site = newId();
    await sql`insert into datasources (org_id, id, url, display_name) values (${org.id}, ${site}, 'https://a.example', 'Help')`.execute(
      api.db,
    );
    for (const held of [9, 3])
      await sql`insert into crawl_jobs (org_id, id, datasource_id, kind, status, held_pages, created_at, completed_at)
        values (${org.id}, ${newId()}, ${site}, 'full', 'completed', ${held}, clock_timestamp(), now())`.execute(
        api.db,
      );
    for (const owner of [org, api.other])
      await sql`insert into deliveries (org_id, id, channel, "to", status) values (${owner.id}, ${newId()}, 'sms', '+4915112345678', 'unknown')`.execute(
        api.db,
      );

    const fresh = await startApi({ databaseUrl: api.databaseUrl });
    const { body: incidents } = await fresh.client(key).get('/operator/v1/incidents');
    await sql`update automation_runs set status = 'failed' where automation_id = ${failing}`.execute(api.db);
    const { body: soon } = await fresh.client(key).get('/operator/v1/incidents');
    await fresh.close();
    const failedRuns = ({ items }: { items: { kind: string; org_id: string; ref: string; count: number }[] }) =>
      items.flatMap(({ kind, org_id, ref, count }) => (kind === 'run_failed' ? [{ org_id, ref, count }] : []));
    expect(failedRuns(incidents)).toEqual([{ org_id: org.id, ref: active, count: 2 }]);
    expect(failedRuns(soon)).toEqual(failedRuns(incidents));
    await sql`update automation_runs set status = 'canceled' where automation_id = ${failing}`.execute(api.db);
    const named = (items: { kind: string; count: number; since: string; ref: unknown }[]) =>
      items
        .map(({ kind, count, since }) => ({ kind, count, since }))
        .toSorted((a, b) => (a.kind + a.since < b.kind + b.since ? -1 : 1));
    for (const owner of [org, api.other]) {
      const { body } = await owner.get('/org/attention');
      const ofOrg = incidents.items.filter(({ org_id }: { org_id: string }) => org_id === owner.id);
      const atHome = body.items.filter(({ kind }: { kind: string }) =>
        (CONDITION_KINDS as readonly string[]).includes(kind),
      );
      expect(named(ofOrg)).toEqual(named(atHome));
      expect(ofOrg.length).toBeGreaterThan(0);
    }
    const refsOf = (kind: string) =>
      incidents.items.filter((item: { kind: string }) => item.kind === kind).map(({ ref }: { ref: string }) => ref);
    expect(refsOf('webhook_disabled')).toEqual([gone]);
    expect(refsOf('workflow_constraint_error')).toEqual([active]);
    expect(refsOf('domain_broken')).toContain('removed.acme.example');
    expect(refsOf('integration_failing')).toContain('voice/Default');
    expect(JSON.stringify(incidents)).not.toContain(OF_CUSTOMER);
    await sql`update deliveries set status = 'sent'`.execute(api.db);
  });

  it('counts what waits in the outbox to 10,000', async () => {
    await sql`insert into outbox (org_id, kind, type, subject_id, payload, attempts, available_at)
      select ${api.org.id}, 'event', 'contact-created', ${newId()}, '{}', 1, now() + interval '1 hour' from generate_series(1, 10001)`.execute(
      api.db,
    );
    expect((await operator.get('/operator/v1/outbox')).body).toMatchObject({ waiting: 10_000, failing: 10_000 });
    await sql`delete from outbox`.execute(api.db);
  });

  it('says that Temporal is away, and links into its UI by kind', async () => {
    expect((await operator.get('/operator/v1/queues')).body).toEqual({ state: 'away', items: [] });
    expect((await operator.post('/operator/v1/reconcile', { dry_run: false })).status).toBe(400);
    const { body } = await operator.get('/operator/v1/state');
    expect(body.links).toContainEqual({
      kind: 'sequence',
      url: expect.stringMatching(/^https:\/\/temporal\.example\/namespaces\/[\w-]+\/workflows\?query=WorkflowType/),
    });
  });

  it('shows who has reached a limit, pauses sending, and resumes it', async () => {
    const bytes = api.config.WRITE_QUOTA_BYTES;
    await sql`insert into written_bytes (writer, day, bytes) values (${api.org.id}, (now() at time zone 'utc')::date, ${bytes})
      on conflict (writer, day) do update set bytes = excluded.bytes`.execute(api.db);
    expect((await operator.get('/operator/v1/limits')).body.items).toContainEqual(
      expect.objectContaining({ kind: 'bytes_written', owner: api.org.id, limit: bytes }),
    );
    expect((await operator.put('/operator/v1/sending', { state: 'paused', reason: 'Migration' })).body.state).toBe(
      'paused',
    );
    expect((await operator.get('/operator/v1/state')).body.sending).toMatchObject({
      state: 'paused',
      reason: 'Migration',
    });
    expect((await operator.put('/operator/v1/sending', { state: 'running' })).body.state).toBe('running');
  });

  it('says afterwards which operator did what: what changed, once each', async () => {
    const { body: before } = await operator.get('/operator/v1/actions');
    const { url } = await cli('operator', 'login', '--name', 'Ann');
    const cookie = ((await signInBy(url)).headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const ann = withCookie(api, cookie);
    for (let n = 0; n < 2; n++) await ann.put('/operator/v1/sending', { state: 'paused', reason: 'Broken texts' });
    for (let n = 0; n < 2; n++) await operator.put('/operator/v1/sending', { state: 'running' });
    const id = await parkEvent();
    await ann.post(`/operator/v1/parked/${id}/release`);
    expect((await operator.post(`/operator/v1/parked/${id}/release`)).status).toBe(404);
    await cli('sending', 'pause', '--reason', 'Restore');
    await cli('sending', 'resume');
    const { body } = await operator.get('/operator/v1/actions?limit=100');
    const added = body.items.slice(0, body.items.length - before.items.length);
    expect(added).toMatchObject([
      { action: 'sending_resumed', operator: { name: null, via: 'command' } },
      { action: 'sending_paused', detail: 'Restore', operator: { name: null, via: 'command' } },
      { action: 'event_released', ref: id, detail: 'contact-created', operator: { name: 'Ann', via: 'session' } },
      { action: 'sending_resumed', detail: null, operator: { name: 'Night shift', via: 'key' } },
      { action: 'sending_paused', detail: 'Broken texts', operator: { name: 'Ann', via: 'session' } },
      { action: 'signed_in', operator: { name: 'Ann', via: 'session' } },
      { action: 'login_link_created', detail: 'Ann', operator: { name: null, via: 'command' } },
    ]);
    const first = await operator.get('/operator/v1/actions?limit=2');
    const second = await operator.get(`/operator/v1/actions?limit=100&cursor=${first.body.next}`);
    expect([...first.body.items, ...second.body.items]).toEqual(body.items);
    await sql`update operator_actions set created_at = now() - interval '800 days' where action = 'event_released'`.execute(
      api.db,
    );
    expect(await deleteOldOperatorActions(api.db, 730)).toBeGreaterThan(0);
    expect((await operator.get('/operator/v1/actions')).body.items.length).toBeLessThan(body.items.length);
  });

  it('says afterwards who made and revoked keys and links, and what else was changed at the command line', async () => {
    const { body: before } = await operator.get('/operator/v1/actions?limit=100');
    const { key_id } = await cli('operator', 'create', '--name', 'Robot');
    await cli('operator', 'revoke', key_id);
    await expect(cli('operator', 'revoke', key_id)).rejects.toThrow('Operator key not found');
    const { url } = await cli('operator', 'login', '--name', 'Bo');
    const cookie = ((await signInBy(url)).headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    expect((await signInBy(url)).status).toBe(410);
    await withCookie(api, cookie).post('/operator/v1/logout');
    await cli('operator', 'logout');
    const { partner_id, api_key_id } = await cli('partner', 'create', '--name', 'Acme');
    await cli('partner', 'allow-ip', partner_id, '203.0.113.0/24');
    await cli('key', 'revoke', api_key_id);
    await cli('partner', 'deactivate', partner_id);
    await expect(cli('partner', 'deactivate', newId())).rejects.toThrow('Partner not found');
    const { email } = await signIn(api, 'admin');
    await cli('login', '--org', api.org.id, '--email', email);
    await cli('secrets', 'reencrypt');
    const { body } = await operator.get('/operator/v1/actions?limit=100');
    const added = body.items.slice(0, body.items.length - before.items.length).toReversed();
    const command = { id: null, name: null, via: 'command' };
    const bo = { id: expect.any(String), name: 'Bo', via: 'session' };
    const act = (action: string, ref: string | null, detail: string | null, by: object = command) => ({
      id: expect.any(String),
      at: expect.any(String),
      operator: by,
      action,
      ref,
      detail,
    });
    expect(added).toEqual([
      act('key_created', key_id, 'Robot'),
      act('key_revoked', key_id, 'Robot'),
      act('login_link_created', null, 'Bo'),
      act('signed_in', null, null, bo),
      act('signed_out', null, null, bo),
      { ...act('logins_ended', null, null), detail: expect.stringMatching(/^\d+ sessions$/) },
      act('partner_created', partner_id, 'Acme'),
      act('partner_networks_changed', partner_id, '203.0.113.0/24'),
      act('customer_key_revoked', api_key_id, null),
      act('partner_deactivated', partner_id, null),
      act('member_link_created', api.org.id, null),
      act('reencryption_started', null, null),
    ]);
  });

  it('describes its API in its own document, apart from that of the orgs', async () => {
    const { body } = await api.client().get('/operator/openapi.json');
    expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(READS.map((part) => `/operator/v1/${part}`)));
    expect(body.paths['/operator/v1/parked/{id}/release'].post.parameters).toEqual([
      expect.objectContaining({ name: 'id' }),
    ]);
    const ofOrgs = await api.client().get('/openapi.json');
    expect(JSON.stringify(ofOrgs.body)).not.toContain('/operator/v1');
  });
});

describe("the operator's requests", () => {
  it('are limited a minute', async () => {
    const { headers } = await operator.get('/operator/v1/limits');
    expect(headers.get('x-ratelimit-limit')).toBe('300');
    expect(headers.get('cache-control')).toBe('no-store');
  });
});
