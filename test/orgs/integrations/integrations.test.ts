import { sql } from 'kysely';
import { SMTPServer } from 'smtp-server';
import { findConnection } from '../../../src/orgs/integrations/service.ts';
import { type FakeProvider, startFakeProvider } from '../../support/fakes/provider.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';

let api: TestApi;
let provider: FakeProvider;
let org: TestOrg;
beforeAll(async () => {
  provider = await startFakeProvider();
  api = await startApi({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
});
afterAll(async () => {
  await api.close();
  await provider.close();
});
beforeEach(async () => {
  org = await api.createOrg();
  provider.calls.length = 0;
});

const SMTP = { host: 'mail.example.com', port: 2525, secure: false, username: 'post', password: 'p4ssw0rd!' };
const put = (kind: string, providerName: string, settings: object, who = org) =>
  who.put(`/integrations/${kind}`, { provider: providerName, settings });
const stored = () =>
  sql<{ row: string }>`select integrations::text as row from integrations where org_id = ${org.id}`.execute(api.db);

/** Addresses of other schemes, hosts and ports. Undefined is the provider's own. */
const MOVES = [
  { base_url: undefined },
  { base_url: 'http://hub.example.com/v1' },
  { base_url: 'https://hub.example.com:8443/v1' },
  { base_url: 'https://hub.example.com.other.example/v1' },
];

/** A valid connection of each kind, with the paths of its secrets. */
const KINDS: [kind: string, provider: string, settings: object, secrets: string[]][] = [
  [
    'email',
    'smtp',
    { ...SMTP, dkim: { domain: 'example.com', selector: 's1', private_key: 'KEYKEY' } },
    ['p4ssw0rd!', 'KEYKEY'],
  ],
  ['sms', 'twilio', { account_sid: 'AC1', auth_token: 'tw-token', from: '+15005550006' }, ['tw-token']],
  [
    'whatsapp',
    'meta',
    { access_token: 'wa-token', app_secret: 'wa-secret', verify_token: 'wa-verify' },
    ['wa-token', 'wa-secret', 'wa-verify'],
  ],
  [
    'messenger',
    'meta',
    { page_id: '1', page_access_token: 'page-token', app_secret: 'page-secret', verify_token: 'page-verify' },
    ['page-token', 'page-secret', 'page-verify'],
  ],
  [
    'instagram',
    'meta',
    { account_id: '1', access_token: 'ig-token', app_secret: 'ig-secret', verify_token: 'ig-verify' },
    ['ig-token', 'ig-secret', 'ig-verify'],
  ],
  ['slack', 'slack', { bot_token: 'xoxb-token', signing_secret: 'slack-signing' }, ['xoxb-token', 'slack-signing']],
  [
    'voice',
    'vapi',
    { api_key: 'vapi-key', phone_number_id: 'pn_1', webhook_secret: 'vapi-hook' },
    ['vapi-key', 'vapi-hook'],
  ],
  [
    'crm',
    'hubspot',
    {
      oauth: { client_id: 'id', client_secret: 'hs-secret', refresh_token: 'hs-refresh' },
      webhook_secret: 'hs-hook',
      portal_id: 123,
    },
    ['hs-secret', 'hs-refresh', 'hs-hook'],
  ],
  [
    'miaw',
    'salesforce',
    { base_url: 'https://x.salesforce-scrt.com', org_id: '00D', es_developer_name: 'Web', private_key: 'sf-key' },
    ['sf-key'],
  ],
  ['llm', 'openai-compatible', { api_key: 'sk-secret', model: 'm' }, ['sk-secret']],
];

describe('an integration', () => {
  it.each(KINDS)(
    'an integration of kind %s never exposes its secrets',
    async (kind, providerName, settings, secrets) => {
      const { status, body } = await put(kind, providerName, settings);
      expect(status).toBe(200);
      expect(body).toMatchObject({ kind, provider: providerName, connected: null, last_error: null });

      const { body: list } = await org.get('/integrations');
      expect(list).toEqual({ items: [body], next: null });
      const rows = JSON.stringify((await stored()).rows);
      for (const secret of secrets) {
        expect(JSON.stringify(list)).not.toContain(secret);
        expect(rows).not.toContain(secret);
      }
      expect(JSON.stringify(body.settings).match(/"\*\*\*"/g)).toHaveLength(secrets.length);

      const again = await put(kind, providerName, body.settings);
      expect(again.status).toBe(200);
      expect(again.body.settings).toEqual(body.settings);
    },
  );

  it('is replaced as a whole, except for secrets sent as "***"', async () => {
    await put('email', 'smtp', { ...SMTP, dkim: { domain: 'a.example', selector: 's', private_key: 'KEY' } });
    const { body } = await put('email', 'smtp', {
      host: SMTP.host,
      port: SMTP.port,
      username: 'other',
      password: '***',
    });

    expect(body.settings).toEqual({
      host: SMTP.host,
      port: 2525,
      secure: false,
      allow_unencrypted_login: false,
      username: 'other',
      password: '***',
    });
    expect(await findConnection(api.db, api.deps.secrets, org.id, 'email')).toEqual({
      host: SMTP.host,
      port: 2525,
      secure: false,
      allow_unencrypted_login: false,
      username: 'other',
      password: SMTP.password,
    });
  });

  it('is refused with a "***" for a secret never sent before', async () => {
    const { status, body } = await put('email', 'smtp', { ...SMTP, password: '***' });
    expect(status).toBe(400);
    expect(body.issues).toEqual([{ path: 'body.settings.password', message: expect.stringContaining('send it') }]);
  });

  it('does not send a stored secret to another host', async () => {
    await put('llm', 'openai-compatible', { base_url: 'https://api.example.com/v1', api_key: 'sk-1', model: 'm' });
    const moved = { base_url: 'https://evil.example/v1', api_key: '***', model: 'm' };
    expect((await put('llm', 'openai-compatible', moved)).status).toBe(400);
    expect((await put('llm', 'openai-compatible', { ...moved, api_key: 'sk-2' })).status).toBe(200);
  });

  it('a stored secret of an integration is not sent to another scheme, host or port than it was given for', async () => {
    const hubspot = { access_token: 'hs', base_url: 'https://hub.example.com/v1' };
    const model = { api_key: 'sk', model: 'm', base_url: 'http://models.example.com:8080/v1' };
    const miaw = {
      base_url: 'https://a.my.salesforce-scrt.com',
      org_id: '00D',
      es_developer_name: 'Chat',
      auth_key_id: 'k',
    };
    const connections: [
      kind: string,
      provider: string,
      settings: object,
      secret: object,
      moves: object[],
      others: object[],
    ][] = [
      [
        'email',
        'smtp',
        { ...SMTP, secure: true },
        { password: '***' },
        [{ port: 2526 }, { host: 'mail.example.org' }, { secure: false }, { allow_unencrypted_login: true }],
        [{ username: 'other' }, { host: 'MAIL.example.com' }],
      ],
      ['crm', 'hubspot', hubspot, { access_token: '***' }, MOVES, [{ base_url: 'https://hub.example.com:443/v2' }]],
      [
        'llm',
        'openai-compatible',
        model,
        { api_key: '***' },
        MOVES,
        [{ base_url: 'http://models.example.com:8080/v2' }],
      ],
      [
        'miaw',
        'salesforce',
        { ...miaw, private_key: 'KEY' },
        { private_key: '***' },
        MOVES.slice(1),
        [{ org_id: '00E' }],
      ],
      [
        'sms',
        'twilio',
        { account_sid: 'AC1', auth_token: 't', from: '+15005550006' },
        { auth_token: '***' },
        MOVES.slice(1),
        [],
      ],
    ];
    for (const [kind, provider, settings, masked, moves, others] of connections) {
      expect({ kind, ...(await put(kind, provider, settings)) }).toMatchObject({ kind, status: 200 });
      for (const move of moves) {
        const { status, body } = await put(kind, provider, { ...settings, ...masked, ...move });
        expect({ kind, move, status, message: body.issues?.[0].message }).toEqual({
          kind,
          move,
          status: 400,
          message: expect.stringContaining('send the secret again'),
        });
      }
      for (const other of others)
        expect({ other, ...(await put(kind, provider, { ...settings, ...masked, ...other })) }).toMatchObject({
          other,
          status: 200,
        });
    }
  });

  it('can be deleted', async () => {
    await put('llm', 'openai-compatible', { api_key: 'sk', model: 'm' });
    expect((await org.delete('/integrations/llm')).status).toBe(200);
    expect((await org.delete('/integrations/llm')).status).toBe(404);
    expect((await org.get('/integrations')).body.items).toEqual([]);
    expect(await findConnection(api.db, api.deps.secrets, org.id, 'email')).toBeUndefined();
  });

  it('of kind llm is shown where none is connected too, with what compares questions: here, words', async () => {
    const embedding = { model: null, source: null, answering: null };
    expect(await org.get('/integrations/llm')).toMatchObject({ status: 200, body: { provider: null, embedding } });
    await put('llm', 'openai-compatible', { api_key: 'sk', model: 'm' });
    const { body } = await org.get('/integrations/llm');
    expect(body).toMatchObject({ provider: 'openai-compatible', settings: { api_key: '***', model: 'm' }, embedding });
    expect((await api.other.get('/integrations/llm')).body).toMatchObject({ provider: null, settings: {} });
  });

  it('is visible to its own org only', async () => {
    await put('email', 'smtp', SMTP);
    expect((await api.other.get('/integrations')).body.items).toEqual([]);
    expect((await api.other.delete('/integrations/email')).status).toBe(404);
    expect((await api.other.post('/integrations/email/test')).status).toBe(404);
    expect((await org.get('/integrations')).body.items).toHaveLength(1);
  });

  it('an integration of kind crm has a webhook address that never changes', async () => {
    const first = await put('crm', 'hubspot', { access_token: 'pat' });
    const second = await put('crm', 'hubspot', { access_token: 'pat2' });
    expect(first.body.webhook_url).toMatch(
      new RegExp(`^http://127\\.0\\.0\\.1:\\d+/crm/webhook/${org.id}/[\\w-]{43}$`),
    );
    expect(second.body.webhook_url).toBe(first.body.webhook_url);
  });

  it.each<[string, string, object]>([
    ['email', 'smtp', {}],
    ['email', 'sendgrid', SMTP],
    ['email', 'smtp', { ...SMTP, port: 70_000 }],
    ['email', 'smtp', { ...SMTP, host: 'http://mail.example.com' }],
    ['email', 'smtp', { ...SMTP, host: 'a b' }],
    ['sms', 'twilio', { account_sid: 'AC1', auth_token: 't' }],
    ['sms', 'twilio', { account_sid: '../x', auth_token: 't', from: '+1' }],
    ['crm', 'hubspot', {}],
    ['crm', 'hubspot', { access_token: 'a', oauth: { client_id: 'a', client_secret: 'b', refresh_token: 'c' } }],
    ['crm', 'hubspot', { access_token: 'a', portal_id: 'abc' }],
    ['miaw', 'salesforce', { org_id: '00D', es_developer_name: 'Web' }],
    ['llm', 'openai-compatible', { api_key: 'line\nbreak', model: 'm' }],
    ['llm', 'openai-compatible', { api_key: 'sk', model: 'm', base_url: 'ftp://x' }],
    ['llm', 'openai-compatible', { api_key: 'sk', model: 'm', base_url: 'https://user:pass@x.example' }],
  ])('an integration of kind %s is refused for provider %s with settings %j', async (kind, providerName, settings) => {
    expect((await put(kind, providerName, settings)).status).toBe(400);
  });

  it.each<[kind: string, provider: string, settings: object, warnings: string[]]>([
    ['email', 'smtp', SMTP, []],
    ['email', 'smtp', { host: SMTP.host, password: 'p4ssw0rd!' }, ['password has no effect: username is not set']],
    [
      'email',
      'smtp',
      { host: SMTP.host, dkim: { domain: 'a.example', selector: 's', private_key: 'KEY' } },
      ['dkim has no effect: e-mail is signed with the key of its verified domain'],
    ],
    [
      'crm',
      'hubspot',
      { access_token: 'pat', token_path: '/t', ticketing_enabled: false, priority: 'HIGH' },
      [
        'handoff_target is not set',
        'token_path has no effect: only oauth',
        'priority has no effect: ticketing_enabled',
      ],
    ],
    ['crm', 'hubspot', { access_token: 'pat', priority: 'HIGH' }, ['handoff_target is not set']],
    [
      'miaw',
      'salesforce',
      { base_url: 'https://x.example', org_id: '00D', es_developer_name: 'Web', auth_key_id: 'k' },
      ['handoff_target is not set', 'auth_key_id has no effect: end users are verified with private_key'],
    ],
  ])(
    'of kind %s at %s with settings %j warns of those without effect',
    async (kind, providerName, settings, warnings) => {
      const { body } = await put(kind, providerName, settings);
      expect(body.warnings).toEqual(warnings.map((warning) => expect.stringContaining(warning)));
    },
  );

  it('an integration of an unknown kind does not exist', async () => {
    expect((await org.put('/integrations/fax', {})).status).toBe(405);
    expect((await org.delete('/integrations/fax')).status).toBe(400);
  });

  it('needs org:write to be changed or tested', async () => {
    const reader = await org.withScopes('org:read');
    expect((await reader.get('/integrations')).status).toBe(200);
    expect((await reader.put('/integrations/llm', {})).status).toBe(403);
    expect((await reader.post('/integrations/llm/test')).status).toBe(403);
  });
});

describe('testing an integration', () => {
  const CALLS: [string, string, () => object, { method: string; path: string; authorization?: string }][] = [
    [
      'sms',
      'twilio',
      () => ({ base_url: provider.url, account_sid: 'AC1', auth_token: 'tok', from: '+1' }),
      {
        method: 'GET',
        path: '/2010-04-01/Accounts/AC1.json',
        authorization: `Basic ${Buffer.from('AC1:tok').toString('base64')}`,
      },
    ],
    [
      'whatsapp',
      'meta',
      () => ({ base_url: provider.url, access_token: 'tok' }),
      {
        method: 'GET',
        path: '/v23.0/me',
        authorization: 'Bearer tok',
      },
    ],
    [
      'messenger',
      'meta',
      () => ({ base_url: provider.url, page_id: '42', page_access_token: 'tok', app_secret: 's' }),
      { method: 'GET', path: '/v23.0/42?fields=id', authorization: 'Bearer tok' },
    ],
    [
      'instagram',
      'meta',
      () => ({ base_url: provider.url, account_id: '43', access_token: 'tok', app_secret: 's' }),
      { method: 'GET', path: '/v23.0/43?fields=id', authorization: 'Bearer tok' },
    ],
    [
      'voice',
      'vapi',
      () => ({ base_url: provider.url, api_key: 'tok', phone_number_id: 'p' }),
      {
        method: 'GET',
        path: '/assistant?limit=1',
        authorization: 'Bearer tok',
      },
    ],
    [
      'crm',
      'hubspot',
      () => ({ base_url: provider.url, access_token: 'tok' }),
      {
        method: 'GET',
        path: '/account-info/v3/details',
        authorization: 'Bearer tok',
      },
    ],
    [
      'miaw',
      'salesforce',
      () => ({ base_url: `${provider.url}/`, org_id: '00D', es_developer_name: 'Web' }),
      {
        method: 'POST',
        path: '/iamessage/api/v2/authorization/unauthenticated/access-token',
      },
    ],
    [
      'llm',
      'openai-compatible',
      () => ({ base_url: `${provider.url}/v1`, api_key: 'tok', model: 'm' }),
      {
        method: 'GET',
        path: '/v1/models',
        authorization: 'Bearer tok',
      },
    ],
  ];

  it.each(CALLS)(
    'of kind %s at %s makes one harmless call and stores the result',
    async (kind, name, settings, expected) => {
      await put(kind, name, settings());
      provider.next({ status: 200 }, { status: 401, body: { message: 'the token tok-en is wrong: tok' } });

      const good = await org.post(`/integrations/${kind}/test`);
      expect(good).toMatchObject({ status: 200, body: { connected: true, message: expect.stringContaining('200') } });
      expect(provider.calls).toHaveLength(1);
      const [call] = provider.calls;
      expect({ method: call?.method, path: call?.path, authorization: call?.headers.authorization }).toEqual({
        authorization: undefined,
        ...expected,
      });
      expect((await org.get('/integrations')).body.items[0]).toMatchObject({ connected: true, last_error: null });

      const bad = await org.post(`/integrations/${kind}/test`);
      expect(bad).toMatchObject({ status: 200, body: { connected: false, message: expect.stringContaining('401') } });
      expect((await org.get('/integrations')).body.items[0]).toMatchObject({
        connected: false,
        last_error: bad.body.message,
      });
    },
  );

  it('exchanges a refresh token first if the CRM is connected by OAuth', async () => {
    await put('crm', 'hubspot', {
      base_url: provider.url,
      oauth: { client_id: 'id', client_secret: 'sec', refresh_token: 'ref' },
    });
    provider.next({ status: 200, body: { access_token: 'short' } });
    expect((await org.post('/integrations/crm/test')).body.connected).toBe(true);
    expect(provider.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /oauth/v3/token',
      'GET /account-info/v3/details',
    ]);
    expect(provider.calls[0]?.body).toBe('grant_type=refresh_token&client_id=id&client_secret=sec&refresh_token=ref');
    expect(provider.calls[1]?.headers.authorization).toBe('Bearer short');

    await put('crm', 'hubspot', {
      base_url: provider.url,
      oauth: { client_id: 'id', client_secret: 'sec', refresh_token: 'ref' },
      token_path: '/oauth/v1/token',
    });
    provider.next({ status: 200, body: { access_token: 'short' } });
    expect((await org.post('/integrations/crm/test')).body.connected).toBe(true);
    expect(provider.calls[2]?.path).toBe('/oauth/v1/token');
  });

  it('masks a secret quoted by the provider', async () => {
    await put('llm', 'openai-compatible', { base_url: provider.url, api_key: 'sk-secret-1', model: 'm' });
    provider.next({ status: 401, body: { error: { message: 'Incorrect API key provided: sk-secret-1.' } } });
    const { body } = await org.post('/integrations/llm/test');
    expect(body.message).toBe('The AI provider refused the credentials (401): Incorrect API key provided: ***.');
  });

  it('reports an unreachable provider', async () => {
    await put('llm', 'openai-compatible', { base_url: 'http://127.0.0.1:1', api_key: 'sk-1', model: 'm' });
    const { status, body } = await org.post('/integrations/llm/test');
    expect({ status, body }).toEqual({
      status: 200,
      body: { connected: false, message: expect.stringContaining('ECONNREFUSED') },
    });
  });

  it('follows no redirect with a secret to another host', async () => {
    const elsewhere = await startFakeProvider();
    await put('llm', 'openai-compatible', { base_url: provider.url, api_key: 'sk-1', model: 'm' });
    provider.next({ status: 302, headers: { location: `${elsewhere.url}/models` } });
    await org.post('/integrations/llm/test');
    expect(elsewhere.calls.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    await elsewhere.close();
  });

  it('does not call private networks unless the operator allows it', async () => {
    const strict = await startApi({ databaseUrl: api.databaseUrl });
    const client = strict.client(org.key);
    const refusal = { connected: false, message: expect.stringMatching(/not a public address .*EGRESS_ALLOW/) };
    await put('llm', 'openai-compatible', { base_url: provider.url, api_key: 'sk-1', model: 'm' });
    expect((await client.post('/integrations/llm/test')).body).toEqual(refusal);
    await put('email', 'smtp', { ...SMTP, host: '127.0.0.1' });
    expect((await client.post('/integrations/email/test')).body).toEqual(refusal);
    await put('email', 'smtp', { ...SMTP, host: 'localhost' });
    expect((await client.post('/integrations/email/test')).body).toEqual(refusal);
    expect(provider.calls).toEqual([]);
    await strict.close();
  });

  it('signs in to a mail server without sending anything', async () => {
    const own = { ...SMTP, host: '127.0.0.1', allow_unencrypted_login: true };
    const commands: string[] = [];
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      authOptional: true,
      onAuth({ username, password }, _session, done) {
        commands.push('AUTH');
        done(username === 'post' && password === SMTP.password ? null : new Error('Invalid login'), { user: 'post' });
      },
      onMailFrom(_address, _session, done) {
        commands.push('MAIL');
        done();
      },
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as { port: number };

    await put('email', 'smtp', { ...own, port });
    expect((await org.post('/integrations/email/test')).body).toEqual({
      connected: true,
      message: `The mail server at 127.0.0.1:${port} answered and accepted the sign-in`,
    });
    await put('email', 'smtp', { ...own, port, password: 'wrong' });
    expect((await org.post('/integrations/email/test')).body).toEqual({
      connected: false,
      message: expect.stringContaining('Invalid login'),
    });
    await put('email', 'smtp', { host: own.host, port });
    expect((await org.post('/integrations/email/test')).body).toEqual({
      connected: true,
      message: `The mail server at 127.0.0.1:${port} answered without a sign-in: no user name is set`,
    });
    expect(commands).toEqual(['AUTH', 'AUTH']);
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  it('is a 404 if there is none', async () => {
    expect((await org.post('/integrations/crm/test')).status).toBe(404);
  });
});
