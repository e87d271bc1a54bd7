import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type FakeModel, quoting, startFakeModel } from '../../support/fakes/model.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack, untilPasses } from '../../support/stack/stack.ts';
import { newAnsweringOrg, QUESTION } from '../answering-org.ts';

let stack: Stack;
let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel();
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await stack.close();
  await model.close();
});
beforeEach(() => {
  model.asked.length = 0;
  model.say((asked) => quoting(asked, 'five working days', 'You get it within five working days.'));
});

async function newOrg(draft: object, withModel = true): Promise<TestOrg> {
  const org = await newAnsweringOrg(stack);
  if (withModel) await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
  expect(await org.patch('/autopilot/settings', draft)).toMatchObject({ status: 200 });
  return org;
}

const says = (text: string) => ({ sender: 'contact', text });
const preview = async (org: TestOrg, more: object = {}) =>
  (await org.post('/autopilot/preview', { messages: [says(QUESTION)], ...more })).body;

const UNKNOWN = 'Do you rent out submarines with a crew of twelve?';
const inVain = (times: number) => ({
  messages: [
    ...Array.from({ length: times }, (_, nth) => [
      says(`Number ${nth}: boats below the water`),
      { sender: 'ai', text: 'Which ones?', state: 'asked' },
    ]).flat(),
    says(UNKNOWN),
  ],
});

describe('a setting of the AI', () => {
  it('mode: extractive asks no model', async () => {
    expect(await preview(await newOrg({ mode: 'extractive' }))).toMatchObject({ agent: 'extractive-1' });
    expect(model.asked).toEqual([]);
    expect(await preview(await newOrg({ mode: 'cited' }))).toMatchObject({ agent: 'helpful' });
  });

  it.each([
    [0, 0, 'asked'],
    [0, 5, 'asked'],
    [1, 0, 'handed_off'],
    [2, 1, 'asked'],
    [2, 2, 'handed_off'],
    [3, 2, 'asked'],
    [3, 3, 'handed_off'],
  ])('handoff_level: %i after %i questions in vain ends %s', async (handoff_level, times, state) => {
    const org = await newOrg({ handoff_level }, false);
    expect((await preview(org, inVain(times))).state).toBe(state);
  });

  it('max_turns_without_progress: level 3 hands off after so many', async () => {
    const org = await newOrg({ handoff_level: 3, max_turns_without_progress: 1 }, false);
    expect((await preview(org, inVain(0))).state).toBe('asked');
    expect((await preview(org, inVain(1))).state).toBe('handed_off');
  });

  it('context_fields: models are told these fields of the contact, and no others', async () => {
    const org = await newOrg({ context_fields: ['name', 'custom_data.plan'] });
    const contact = { email: 'ann@example.com', name: 'Ann', custom_data: { plan: 'gold', secret: 'hush' } };
    const { id } = (await org.post('/contacts', { contact })).body;
    await preview(org, { contact_id: id });
    expect(model.asked[0]?.data.context).toEqual({ name: 'Ann', 'custom_data.plan': 'gold' });
    expect(JSON.stringify(model.asked)).not.toMatch(/ann@example\.com|hush/);
  });

  it.each([
    [[], false],
    [['https://status.example.com/'], true],
  ])('allowed_links: with %j a link to the status page is said: %s', async (allowed_links, isSaid) => {
    const link = 'https://status.example.com/live';
    model.say((asked) => quoting(asked, 'five working days', `Within five working days, see ${link}`));
    const { text } = await preview(await newOrg({ allowed_links }));
    expect(text.includes(link)).toBe(isSaid);
  });

  it.each([
    ['extractive', { state: 'answered', agent: 'extractive-1' }],
    ['handoff', { state: 'handed_off', reason: 'provider_down' }],
  ])('on_provider_down: %s', async (on_provider_down, expected) => {
    model.say(() => ({ status: 401 }));
    expect(await preview(await newOrg({ on_provider_down }))).toMatchObject(expected);
  });

  it('max_wrong: the next calibration aims at it', async () => {
    const org = await newOrg({ max_wrong: 0.5 }, false);
    await org.post('/autopilot/settings/publish');
    await org.post('/autopilot/calibration/run');
    // The calibration of the start of autopilot may end first.
    await untilPasses(async () => {
      expect((await org.get('/autopilot/calibration')).body.report).toMatchObject({ max_wrong: 0.5 });
    });
  });

  it.each([
    ['ai', { state: 'answered', config_version: 1 }],
    ['people', { state: 'skipped', reason: 'people_have_it', config_version: 1 }],
  ])('reopen_goes_to: %s, and the turn says which version it used', async (reopen_goes_to, expected) => {
    const org = await newOrg({ reopen_goes_to, quiet_seconds: { api: 0 } }, false);
    await org.post('/autopilot/settings/publish');
    const { id } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
    const send = (text: string) =>
      org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text } });
    await send('What are the opening hours of the shop from Monday to Friday?');
    await org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    await send(QUESTION);
    const turn = await eventually('the turn after the reopening', async () => {
      const { body } = await org.get(`/chat/sessions/${id}/turns`);
      return body.items[1]?.ended_at === null ? undefined : body.items[1];
    });
    expect(turn).toMatchObject(expected);
  });
});
