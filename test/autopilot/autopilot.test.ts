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
  expect([status, onWeb(body)]).toEqual([200, { channel: 'web', autopilot_enabled: false, ai_agent_version: 'v1' }]);
  expect((await api.org.get('/autopilot')).body).toEqual(body);
  expect((await api.other.get('/autopilot')).body).toEqual(before);
});

it('autopilot is refused for an unknown channel', async () => {
  const { status, body } = await api.org.patch('/autopilot', { channel: 'phone_voice', autopilot_enabled: true });
  expect([status, body.issues[0].path]).toEqual([400, 'body.channel']);
});
