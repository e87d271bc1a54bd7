import { findPhoneAgent, getPhoneAgent } from '../../src/phone-agents/service.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';

const MAX_AGENTS = 500;
const DEFAULTS = {
  type: 'inbound',
  model: null,
  voice_id: null,
  language: null,
  first_message: 'Hello?',
  instructions: null,
  handoff_phone_number: null,
  use_org_knowledgebase: false,
  actionIds: null,
};
const EVERYTHING = {
  name: 'Reminders',
  type: 'outbound',
  model: 'gpt-4.1-mini',
  voice_id: 'Savannah',
  language: 'de',
  first_message: 'Guten Tag!',
  handoff_phone_number: '+442079460958',
  use_org_knowledgebase: true,
};

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

/** Creates an action and two training items, as an agent can name them. */
async function referencesOf(org: TestOrg) {
  const action = {
    name: 'Order',
    description: 'Finds an order',
    api_endpoint: 'https://api.example.com/orders',
    request_type: 'GET',
    operation_id: 'findOrder',
    payload: { base_url: 'https://api.example.com', path: '/orders', method: 'get' },
  };
  const training = { title: 'Refunds', content: 'Within 30 days' };
  const made = [
    await org.post('/actions', action),
    await org.post('/training', training),
    await org.post('/training', training),
  ];
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
  const [actionId, ...instructions] = made.map(({ body }) => body.id);
  return { actionIds: [actionId], instructions };
}

const create = async (fields: object = { name: 'Reception' }) => (await api.org.post('/phone', fields)).body;

describe('a phone agent', () => {
  it('is created, listed oldest first, updated and deleted', async () => {
    const org = await api.createOrg();
    const everything = { ...EVERYTHING, ...(await referencesOf(org)) };
    const { status, body: first } = await org.post('/phone', everything);
    expect(status).toBe(201);
    expect(first).toEqual({
      id: expect.any(String),
      ...everything,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      warnings: [],
    });
    const { body: second } = await org.post('/phone', { name: 'Reception' });
    expect((await org.get('/phone')).body).toEqual([first, second]);

    const changed = await org.patch(`/phone/${first.id}`, { name: 'Recalls', actionIds: [] });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({ ...first, name: 'Recalls', actionIds: [], updated_at: expect.any(String) });
    expect(Date.parse(changed.body.updated_at)).toBeGreaterThan(Date.parse(first.updated_at));
    expect((await org.get('/phone')).body).toEqual([changed.body, second]);

    expect(await org.delete(`/phone/${first.id}`)).toMatchObject({ status: 200, body: '' });
    expect((await org.get('/phone')).body).toEqual([second]);
    expect((await org.delete(`/phone/${first.id}`)).status).toBe(404);
    expect((await org.patch(`/phone/${first.id}`, { name: 'x' })).status).toBe(404);
  });

  it('has defaults for all fields but its name, also if they are null', async () => {
    const nulls = Object.fromEntries(Object.keys(DEFAULTS).map((field) => [field, null]));
    for (const fields of [{}, { ...nulls, type: undefined }]) {
      const { status, body } = await api.org.post('/phone', { name: 'Reception', ...fields });
      expect(status).toBe(201);
      expect(body).toMatchObject({ name: 'Reception', ...DEFAULTS });
    }
  });

  it.each(Object.entries(DEFAULTS).filter(([field]) => field !== 'type'))(
    'resets %s to its default if it is set to null, and keeps the other fields',
    async (field, fallback) => {
      const agent = await create(EVERYTHING);
      const { status, body } = await api.org.patch(`/phone/${agent.id}`, { [field]: null });
      expect(status).toBe(200);
      expect(body).toEqual({ ...agent, [field]: fallback, updated_at: expect.any(String) });
    },
  );

  it('is not changed by an update without fields', async () => {
    const agent = await create(EVERYTHING);
    const { status, body } = await api.org.patch(`/phone/${agent.id}`, {});
    expect(status).toBe(200);
    expect(body).toEqual({ ...agent, updated_at: expect.any(String) });
  });

  it('stores the phone number for handoffs as E.164', async () => {
    expect(await create({ name: 'Reception', handoff_phone_number: '+44 (0)20 7946 0958' })).toMatchObject({
      handoff_phone_number: '+442079460958',
    });
  });
});

it('a phone agent names actions and training items of its own org only', async () => {
  const [own, foreign] = [await referencesOf(api.org), await referencesOf(api.other)];
  const { id } = await create();
  for (const [field, ids] of [
    ['actionIds', foreign.actionIds],
    ['instructions', foreign.instructions],
    ['actionIds', own.instructions],
    ['instructions', own.actionIds],
    ['actionIds', [...own.actionIds, 'nothing']],
    ['instructions', ['scenario-1']],
  ] as const) {
    const { status, body } = await api.org.post('/phone', { name: 'Reception', [field]: ids });
    expect([status, body.issues?.[0]?.path]).toEqual([400, `body.${field}`]);
    expect((await api.org.patch(`/phone/${id}`, { [field]: ids })).status).toBe(400);
  }
  expect((await api.org.patch(`/phone/${id}`, own)).status).toBe(200);
});

describe('invalid input for a phone agent', () => {
  it.each([
    ['name', undefined],
    ['name', ''],
    ['name', null],
    ['name', 'x'.repeat(256)],
    ['type', 'both'],
    ['type', null],
    ['model', 'gpt-0'],
    ['voice_id', 'elliot'],
    ['voice_id', ''],
    ['voice_id', 'Spencer'],
    ['language', 'xx'],
    ['language', 'en-GB'],
    ['first_message', ''],
    ['first_message', 'x'.repeat(1001)],
    ['instructions', 'scenario-1'],
    ['instructions', [7]],
    ['instructions', ['']],
    ['instructions', Array(101).fill('scenario')],
    ['handoff_phone_number', '020 7946 0958'],
    ['handoff_phone_number', '+1'],
    ['use_org_knowledgebase', 'yes'],
    ['actionIds', ['x'.repeat(65)]],
    ['actionIds', [null]],
  ])('in the field %s is a 400 naming the field (%#)', async (field, value) => {
    const { status, body } = await api.org.post('/phone', { ...EVERYTHING, [field]: value });
    expect(status).toBe(400);
    expect(body.issues).toHaveLength(1);
    expect(body.issues[0].path).toMatch(new RegExp(`^body\\.${field}(\\.0)?$`));
    if (value === undefined) return;
    const { id } = await create();
    expect((await api.org.patch(`/phone/${id}`, { [field]: value })).status).toBe(400);
  });

  it('in the voice is answered with the path listing the voices', async () => {
    const { body } = await api.org.post('/phone', { name: 'Reception', voice_id: 'Nobody' });
    expect(body.message).toContain('GET /phone/voices');
  });
});

describe('the phone voices', () => {
  it('are answered as an array, and an agent can have each of them', async () => {
    const { status, body } = await api.org.get('/phone/voices');
    expect(status).toBe(200);
    expect(body[0]).toEqual({ id: 'Elliot', name: 'Elliot', gender: 'male', accent: 'Canadian' });
    expect(new Set(body.map(({ id }: { id: string }) => id)).size).toBe(body.length);
    for (const { id } of body)
      expect(await create({ name: 'Reception', voice_id: id })).toMatchObject({ voice_id: id });
  });
});

describe('access to phone agents', () => {
  it('needs phone:read to read and phone:write to change', async () => {
    const { id } = await create();
    const reader = await api.org.withScopes('phone:read');
    const writer = await api.org.withScopes('phone:write');
    for (const path of ['/phone', '/phone/voices']) {
      expect((await reader.get(path)).status).toBe(200);
      expect(await writer.get(path)).toMatchObject({
        status: 403,
        body: { message: 'Missing required scope: phone:read' },
      });
    }
    const refused = { status: 403, body: { message: 'Missing required scope: phone:write' } };
    expect(await reader.post('/phone', { name: 'x' })).toMatchObject(refused);
    expect(await reader.patch(`/phone/${id}`, { name: 'x' })).toMatchObject(refused);
    expect(await reader.delete(`/phone/${id}`)).toMatchObject(refused);
    expect((await writer.post('/phone', { name: 'x' })).status).toBe(201);
    expect((await writer.patch(`/phone/${id}`, { name: 'x' })).status).toBe(200);
    expect((await writer.delete(`/phone/${id}`)).status).toBe(200);
  });

  it("is limited to the key's org: the agent of another org is a 404 and stays unchanged", async () => {
    const agent = await create();
    expect((await api.other.patch(`/phone/${agent.id}`, { name: 'Mine' })).status).toBe(404);
    expect((await api.other.delete(`/phone/${agent.id}`)).status).toBe(404);
    expect((await api.other.get('/phone')).body).toEqual([]);
    expect((await api.org.get('/phone')).body).toContainEqual(agent);
  });
});

it(`an org has at most ${MAX_AGENTS} phone agents, even with concurrent requests`, async () => {
  const org = await api.createOrg();
  const agents = Array.from({ length: MAX_AGENTS - 1 }, () => ({
    org_id: org.id,
    id: crypto.randomUUID(),
    name: 'Reception',
    type: 'inbound' as const,
    first_message: 'Hello?',
    use_org_knowledgebase: false,
  }));
  await api.db.insertInto('phone_agents').values(agents).execute();
  const answers = await Promise.all([1, 2, 3].map(() => org.post('/phone', { name: 'One more' })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect((await org.get('/phone')).body).toHaveLength(MAX_AGENTS);
});

it('a phone agent is found only by its id in its own org; any other text finds none', async () => {
  const { id } = await create(EVERYTHING);
  const { use_org_knowledgebase, ...profile } = { ...EVERYTHING, id };
  expect(await findPhoneAgent(api.db, api.org.id, id)).toEqual(profile);
  expect(await getPhoneAgent(api.db, api.org.id, id)).toEqual(profile);
  expect(await findPhoneAgent(api.db, api.other.id, id)).toBeUndefined();
  for (const text of [crypto.randomUUID(), 'agent-1', '']) {
    expect(await findPhoneAgent(api.db, api.org.id, text)).toBeUndefined();
    await expect(getPhoneAgent(api.db, api.org.id, text)).rejects.toMatchObject({ kind: 'not_found' });
  }
});
