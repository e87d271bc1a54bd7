import { startApi, type TestApi } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const onWeb = (list: { channel: string }[]) => list.find(({ channel }) => channel === 'web');

it('autopilot is off on every channel until it is set, and its version stays until another is given', async () => {
  const { body: before } = await api.org.get('/autopilot');
  expect(before).toHaveLength(10);
  expect(before.every(({ autopilot_enabled }: { autopilot_enabled: boolean }) => !autopilot_enabled)).toBe(true);

  await api.org.patch('/autopilot', { channel: 'web', autopilot_enabled: true, ai_agent_version: 'v1' });
  const { status, body } = await api.org.patch('/autopilot', { channel: 'web', autopilot_enabled: false });
  expect([status, onWeb(body)]).toEqual([
    200,
    { channel: 'web', autopilot_enabled: false, ai_agent_version: 'v1', warnings: [] },
  ]);
  expect((await api.org.get('/autopilot')).body).toEqual(body);
  expect((await api.other.get('/autopilot')).body).toEqual(before);
});

it('autopilot on a channel that is not connected answers with a warning until it is connected or off', async () => {
  const org = await api.createOrg();
  const warningsOn = async (channel: string, autopilot_enabled = true) => {
    const { body } = await org.patch('/autopilot', { channel, autopilot_enabled });
    return body.find((item: { channel: string }) => item.channel === channel).warnings;
  };
  for (const channel of ['sms', 'whatsapp', 'slack', 'instagram', 'messenger'])
    expect(await warningsOn(channel)).toEqual([expect.stringContaining(`PUT /integrations/${channel}`)]);
  for (const channel of ['phone', 'web_voice'])
    expect(await warningsOn(channel)).toEqual([expect.stringContaining('PUT /integrations/voice')]);
  expect([await warningsOn('web'), await warningsOn('api'), await warningsOn('sms', false)]).toEqual([[], [], []]);

  await org.put('/integrations/voice', { provider: 'vapi', settings: { api_key: 'key', phone_number_id: 'pn_1' } });
  await org.put('/integrations/slack', {
    provider: 'slack',
    settings: { bot_token: 'xoxb-1', signing_secret: 'signing' },
  });
  expect([await warningsOn('phone'), await warningsOn('slack')]).toEqual([[], []]);
});

it('autopilot is refused for an unknown channel', async () => {
  const { status, body } = await api.org.patch('/autopilot', { channel: 'phone_voice', autopilot_enabled: true });
  expect([status, body.issues[0].path]).toEqual([400, 'body.channel']);
});
