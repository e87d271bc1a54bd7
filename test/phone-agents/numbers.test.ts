import { createCallbackUrls } from '../../src/orgs/integrations/callback-urls.ts';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { unavailable } from '../support/fakes/faulty-server.ts';
import { type FakeVapi, startFakeVapi } from '../support/fakes/vapi.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';

const EARLIER_SECRET = 'an earlier secret with 32 characters and more';

let api: TestApi;
let vapi: FakeVapi;
let org: TestOrg;
let webhookUrl: string;
beforeAll(async () => {
  vapi = await startFakeVapi();
  api = await startApi({ isInProcess: true, env: { ...FAKES_ALLOWED, JWT_SECRETS_ACCEPTED: EARLIER_SECRET } });
});
afterAll(async () => {
  await api.close();
  await vapi.close();
});
beforeEach(async () => {
  org = await api.createOrg();
  const settings = { base_url: vapi.url, api_key: vapi.apiKey, phone_number_id: vapi.phoneNumberId };
  webhookUrl = (await org.put('/integrations/voice', { provider: 'vapi', settings })).body.webhook_url;
  vapi.account.numbers.length = 0;
  vapi.account.asked.length = 0;
});

const newAgent = async (fields: object = {}) => (await org.post('/phone', { name: 'Ada', ...fields })).body.id;

it('numbers are those of the voice platform, and are bound to agents that take calls and to SIP trunks', async () => {
  const trunk = { id: 'trunk-1', provider: 'byo-sip-trunk', name: 'Carrier', gateways: [{ ip: 'sip.example.com' }] };
  const secret = { outboundAuthenticationPlan: { authPassword: 'hush' } };
  vapi.account.credentials = [
    { ...trunk, ...secret },
    { id: 'key-1', provider: '11labs' },
  ];
  expect((await org.get('/phone/sip-trunks')).body).toEqual([
    { id: 'trunk-1', name: 'Carrier', gateways: ['sip.example.com:5060'] },
  ]);
  const number = vapi.account.addNumber({
    provider: 'byo-phone-number',
    number: '+14155550123',
    assistantId: 'theirs',
  });
  const free = {
    ...{ id: number.id, number: '+14155550123', sip_uri: null, name: null, provider: 'byo-phone-number' },
    ...{ sip_trunk_id: null, phone_agent_id: null, is_answered_here: false },
  };
  expect((await org.get('/phone/numbers')).body).toEqual([free]);

  const agent = await newAgent();
  const binding = { phone_agent_id: agent, sip_trunk_id: 'trunk-1' };
  const bound = { ...free, ...binding, is_answered_here: true };
  expect(await org.put(`/phone/numbers/${number.id}`, binding)).toMatchObject({ status: 200, body: bound });
  expect(number).toMatchObject({
    assistantId: null,
    credentialId: 'trunk-1',
    server: { url: webhookUrl, headers: { 'X-Vapi-Secret': expect.any(String) } },
  });
  expect((await org.get('/phone/numbers')).body).toEqual([bound]);
  expect((await org.put(`/phone/numbers/${number.id}`, bound)).body).toEqual(bound);
  const change = await org.patch(`/phone/${agent}`, { type: 'outbound' });
  expect([change.status, change.body.message]).toEqual([409, expect.stringContaining('+14155550123')]);

  expect((await org.delete(`/phone/numbers/${number.id}`)).body).toEqual({ ...free, sip_trunk_id: 'trunk-1' });
  expect(number.server).toBeNull();
  const unbound = { ...free, sip_trunk_id: 'trunk-1' };
  expect((await org.put(`/phone/numbers/${number.id}`, unbound)).body).toEqual(unbound);
  expect((await org.patch(`/phone/${agent}`, { type: 'outbound' })).status).toBe(200);
});

it('a number that was bound before a rotation of JWT_SECRET is answered here, as long as the old one is accepted', async () => {
  const number = vapi.account.addNumber({ number: '+14155550123' });
  const path = `/phone/numbers/${number.id}`;
  await org.put(path, { phone_agent_id: await newAgent() });
  const boundBy = async (secret: string) => {
    const url = createCallbackUrls([secret], api.config.PUBLIC_URL).urlOf('vapi', org.id);
    number.server = { url };
    return (await org.get('/phone/numbers')).body[0].is_answered_here;
  };
  expect(await boundBy('a secret of somebody else')).toBe(false);
  expect(await boundBy(EARLIER_SECRET)).toBe(true);
  expect((await org.delete(path)).body.is_answered_here).toBe(false);
  expect(number.server).toBeNull();
});

it('a number is bound to no agent that calls, of another org or unknown, and to no unknown trunk', async () => {
  const { id } = vapi.account.addNumber({ number: '+14155550123' });
  const theirs = (await api.other.post('/phone', { name: 'Theirs' })).body.id;
  for (const phone_agent_id of [await newAgent({ type: 'outbound' }), theirs, crypto.randomUUID()])
    expect(await org.put(`/phone/numbers/${id}`, { phone_agent_id })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'body.phone_agent_id' }] },
    });
  const phone_agent_id = await newAgent();
  expect((await org.put(`/phone/numbers/${id}`, { phone_agent_id, sip_trunk_id: 'none' })).status).toBe(400);
  expect((await org.put('/phone/numbers/unknown', { phone_agent_id })).status).toBe(404);
  expect((await org.delete('/phone/numbers/unknown')).status).toBe(404);
});

it('without a voice platform numbers are a 409, and one that refuses or is away says so', async () => {
  const without = await api.createOrg();
  for (const path of ['/phone/numbers', '/phone/sip-trunks'])
    expect(await without.get(path)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('PUT /integrations/voice') },
    });
  expect((await without.get('/phone/models')).body).toEqual([{ id: 'gpt-4.1-mini', is_default: true }]);
  vapi.nextLookUp(unavailable());
  expect((await org.get('/phone/numbers')).status).toBe(503);
  vapi.nextLookUp(unavailable(), unavailable());
  expect((await org.get('/phone/voices')).body).toContainEqual(expect.objectContaining({ id: 'Elliot' }));
  expect((await org.post('/phone', { name: 'Ada', voice_id: 'Elliot' })).status).toBe(201);
  const settings = { base_url: vapi.url, api_key: 'wrong', phone_number_id: 'x' };
  await org.put('/integrations/voice', { provider: 'vapi', settings });
  const refused = await org.get('/phone/voices');
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringMatching(/Invalid Key \*\*\*/)]);
});

it('voices and models are those of the voice platform, asked for once', async () => {
  vapi.account.voices = [
    { provider: 'vapi', providerId: 'Nova', name: 'Nova', gender: 'female', accent: 'Irish', languageCode: 'en' },
    { provider: 'vapi', providerId: 'Gone', name: 'Gone', isDeleted: true },
  ];
  vapi.account.models = ['gpt-9', 'gpt-4.1-mini'];
  const voice = { id: 'Nova', name: 'Nova', gender: 'female', accent: 'Irish', language: 'en' };
  for (let n = 0; n < 2; n++) {
    expect((await org.get('/phone/voices')).body).toEqual([voice]);
    expect((await org.get('/phone/models')).body).toEqual([
      { id: 'gpt-4.1-mini', is_default: true },
      { id: 'gpt-9', is_default: false },
    ]);
  }
  expect(await org.post('/phone', { name: 'Ada', voice_id: 'Nova', model: 'gpt-9' })).toMatchObject({
    status: 201,
    body: { voice_id: 'Nova', model: 'gpt-9' },
  });
  for (const field of ['voice_id', 'model'])
    expect(await org.post('/phone', { name: 'Ada', [field]: 'Elliot' })).toMatchObject({
      status: 400,
      body: { issues: [{ path: `body.${field}` }] },
    });
  expect(vapi.account.asked).toEqual(['GET /voice-library/vapi', 'GET /api-json']);
});
