import { addMember } from '../../src/orgs/members/service.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

describe('the organization', () => {
  it('is shown and renamed', async () => {
    const { body: before } = await api.org.get('/org');
    expect(before).toEqual({
      id: api.org.id,
      name: 'Org',
      website: null,
      language: 'en',
      ai_instructions: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      widget_token: expect.any(String),
    });

    const { status, body } = await api.org.patch('/org', { name: 'New name' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: api.org.id, name: 'New name', created_at: before.created_at });
    expect((await api.other.get('/org')).body.name).toBe('Other org');
  });

  it.each([{ name: '' }, { name: 'x'.repeat(256) }, { name: null }, { name: 1 }])(
    'is not renamed to %j',
    async (body) => {
      expect((await api.org.patch('/org', body)).status).toBe(400);
    },
  );
});

describe('settings of an org', () => {
  const ALL_OFF = {
    brand: null,
    timezone: null,
    quiet_hours: null,
    country: null,
    daily_cap: null,
    csat: null,
    csat_survey: null,
    prohibited_topics: null,
    insight_categories: null,
    prohibited_topic_message: null,
    session_statuses: null,
    lenient_input: null,
    mcp_confirm: null,
    handoff_on_first_message: null,
    generate_summary_and_sentiment_on_resolve: null,
    handoff_target: null,
    http_action_overrides: null,
    member_capacity: null,
  };
  const ALL_ON = {
    country: 'GB',
    timezone: 'Europe/Berlin',
    quiet_hours: { start: '21:00', end: '08:00' },
    daily_cap: 3,
    csat: true,
    csat_survey: { channels: ['email' as const], delay_minutes: 60 },
    prohibited_topics: ['medical advice'],
    insight_categories: ['Delivery'],
    prohibited_topic_message: 'Ask your doctor.',
    session_statuses: [{ id: 3, name: 'Waiting for parts' }],
    handoff_target: 'crm',
    http_action_overrides: { headers: {} },
    lenient_input: true,
    mcp_confirm: 'dashboard',
    handoff_on_first_message: true,
    generate_summary_and_sentiment_on_resolve: true,
    member_capacity: 5,
  };
  const OFF = { ...ALL_OFF, warnings: [] };
  const ON = {
    ...ALL_ON,
    brand: null,
    warnings: ['handoff_target is crm. The CRM is not connected: PUT /integrations/crm'],
  };

  it('has a website, a language and a profile for its AI, which null removes', async () => {
    const set = { website: 'https://acme.example', language: 'de', ai_instructions: 'Be kind.' };
    expect(await api.org.patch('/org', set)).toMatchObject({ status: 200, body: set });
    const removed = { website: null, ai_instructions: null };
    expect(await api.org.patch('/org', removed)).toMatchObject({ status: 200, body: { ...removed, language: 'de' } });
    for (const wrong of [{ website: 'acme' }, { language: 'xx' }, { language: null }, { ai_instructions: 7 }])
      expect(await api.org.patch('/org', wrong)).toMatchObject({ status: 400 });
  });

  it('are all off until set', async () => {
    expect((await api.org.get('/org/settings')).body).toEqual(OFF);
  });

  it('stay unchanged unless given, and null turns one off', async () => {
    const org = await api.createOrg();
    expect((await org.patch('/org/settings', ALL_ON)).body).toEqual(ON);
    const { status, body } = await org.patch('/org/settings', { csat: null, daily_cap: 4 });
    expect(status).toBe(200);
    expect(body).toEqual({ ...ON, csat: null, daily_cap: 4 });
    expect((await org.get('/org/settings')).body).toEqual(body);
    expect((await api.other.get('/org/settings')).body).toEqual(OFF);
  });

  it('take the end of the day as the end of quiet hours', async () => {
    const org = await api.createOrg();
    const quiet_hours = { start: '21:00', end: '24:00' };
    expect(await org.patch('/org/settings', { quiet_hours })).toMatchObject({ status: 200, body: { quiet_hours } });
  });

  it('says that a message about prohibited topics is never said without a topic', async () => {
    const org = await api.createOrg();
    const { body } = await org.patch('/org/settings', { prohibited_topic_message: 'Ask your doctor.' });
    expect(body.warnings).toEqual([expect.stringMatching(/^prohibited_topic_message is never said without a topic/)]);
    expect((await org.patch('/org/settings', { prohibited_topics: ['drugs'] })).body.warnings).toEqual([]);
  });

  it('are all kept when changed concurrently', async () => {
    const org = await api.createOrg();
    await Promise.all(Object.entries(ALL_ON).map(([name, value]) => org.patch('/org/settings', { [name]: value })));
    expect((await org.get('/org/settings')).body).toEqual(ON);
  });

  it.each<[object]>([
    [{ timezone: 'Mars/Olympus' }],
    [{ timezone: '+02:00' }],
    [{ timezone: '' }],
    [{ quiet_hours: { start: '21:00' } }],
    [{ quiet_hours: { start: '24:00', end: '08:00' } }],
    [{ quiet_hours: { start: '00:00', end: '24:00' } }],
    [{ quiet_hours: { start: '00:00', end: '23:59' } }],
    [{ quiet_hours: { start: '21:00', end: '24:01' } }],
    [{ quiet_hours: { start: '8:00', end: '09:00' } }],
    [{ quiet_hours: { start: '08:00', end: '08:00' } }],
    [{ daily_cap: 0 }],
    [{ daily_cap: 1.5 }],
    [{ csat: 'yes' }],
    [{ prohibited_topics: [''] }],
    [{ prohibited_topics: 'war' }],
    [{ session_statuses: [{ id: 2, name: 'Taken' }] }],
    [{ session_statuses: [{ id: 3, name: '' }] }],
    [
      {
        session_statuses: [
          { id: 3, name: 'A' },
          { id: 3, name: 'B' },
        ],
      },
    ],
    [{ handoff_target: 'email' }],
    [{ http_action_overrides: { headers: { 'a b': 'x' } } }],
    [{ http_action_overrides: { headers: { Host: 'x' } } }],
    [{ http_action_overrides: { headers: { a: 'ü' } } }],
    [{ http_action_overrides: { query_params: { a: 1 } } }],
    [{ http_action_overrides: { hosts: ['https://a.example'], query_params: { a: '***' } } }],
    [{ http_action_overrides: { query_params: { a: 'x' } } }],
    [
      {
        http_action_overrides: {
          query_params: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [n, 'x'.repeat(5000)])),
        },
      },
    ],
    [{ member_capacity: 0 }],
  ])('refuse %j, naming the wrong field', async (body) => {
    const answer = await api.org.patch('/org/settings', body);
    expect(answer.status).toBe(400);
    expect(answer.body.issues[0].path).toContain(`body.${Object.keys(body)[0]}`);
  });
});

describe('members of an org', () => {
  const join = async (org: TestOrg, email: string, role?: string) => {
    const { body } = await org.get('/roles');
    const role_ids = body.items
      .filter(({ name }: { name: string }) => name === role)
      .map(({ id }: { id: string }) => id);
    return addMember(api.db, org.id, { email, role_ids });
  };

  it('can have the built-in roles', async () => {
    const { status, body } = await api.org.get('/roles');
    expect(status).toBe(200);
    expect(body).toEqual({
      items: ['admin', 'agent', 'viewer'].map((name) => ({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), name })),
      next: null,
    });
  });

  it('are listed as an array, without members of other orgs', async () => {
    const org = await api.createOrg();
    expect((await org.get('/members')).body).toEqual([]);
    const id = await join(org, 'ann@acme.example', 'viewer');
    await join(api.other, 'ann@acme.example', 'admin');
    expect((await org.get('/members')).body).toEqual([
      { id, email: 'ann@acme.example', name: 'ann', role: 'viewer', available: true, created_at: expect.any(String) },
    ]);
  });

  it('can be changed in name, role and availability', async () => {
    const org = await api.createOrg();
    const id = await join(org, 'ben@acme.example');
    const { status, body } = await org.patch(`/members/${id}`, { name: 'Ben', role: 'admin', available: false });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, name: 'Ben', role: 'admin', available: false });
    expect((await org.patch(`/members/${id}`, {})).body).toEqual(body);
  });

  it('always include an admin, once the org has one', async () => {
    const org = await api.createOrg();
    const id = await join(org, 'first@acme.example', 'admin');
    expect((await org.patch(`/members/${id}`, { role: 'agent' })).status).toBe(409);
    expect((await org.delete(`/members/${id}`)).status).toBe(409);

    const second = await join(org, 'second@acme.example', 'admin');
    const answers = await Promise.all([id, second].map((member) => org.delete(`/members/${member}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await org.get('/members')).body).toHaveLength(1);
  });

  it('members of another org are not found, and stay unchanged', async () => {
    const id = await join(api.other, 'theirs@acme.example');
    expect((await api.org.patch(`/members/${id}`, { name: 'Mine' })).status).toBe(404);
    expect((await api.org.delete(`/members/${id}`)).status).toBe(404);
    const { body } = await api.other.get('/members');
    expect(body).toContainEqual(expect.objectContaining({ id, name: 'theirs' }));
  });

  it.each(['0', '-1', 'x', '1.5', '9'.repeat(30)])('cannot have the id %s', async (id) => {
    expect((await api.org.delete(`/members/${id}`)).status).toBe(400);
  });

  it.each([{ role: 'owner' }, { name: '' }, { available: 'yes' }])('cannot be changed to %j', async (body) => {
    const id = await join(api.org, 'same@acme.example');
    expect((await api.org.patch(`/members/${id}`, body)).status).toBe(400);
  });
});
