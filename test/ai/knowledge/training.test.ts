import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type FakeModel, quoting, startFakeModel } from '../../support/fakes/model.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';
import { messagesOf, newAnsweringOrg } from '../answering-org.ts';

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
afterEach(() => {
  model.asked.length = 0;
});

const TRAINING = {
  title: 'Lost parcels',
  content: 'A lost parcel is replaced within eleven working days. Customers need not pay for the replacement parcel.',
};
const QUESTION = 'Within how many working days is a lost parcel replaced, and need customers pay for the replacement?';

/** Asks on a channel as a contact, and returns the turn with what was said. */
async function ask(org: TestOrg, { channel = 'api', contact = {} }: { channel?: string; contact?: object } = {}) {
  const { body: known } = await org.post('/contacts', { contact: { email: 'ann@example.com', ...contact } });
  const { body } = await org.post('/chat/sessions', { channel: { type: channel }, contact_id: known.id });
  await org.post(`/chat/sessions/${body.id}/send`, { sender: 'contact', message: { type: 'text', text: QUESTION } });
  const turns = await org.get(`/chat/sessions/${body.id}/turns`);
  const said = (await messagesOf(org, body.id)).filter(({ sender }) => sender.type === 'ai');
  return { turn: turns.body.items[0], text: said.map(({ content }) => content.text).join('\n'), said };
}

const withModel = (org: TestOrg) =>
  org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });

describe('training in answers', () => {
  it('is quoted where it is public, and only then', async () => {
    const org = await newAnsweringOrg(stack);
    const { body: item } = await org.post('/training', TRAINING);
    expect(item.visibility).toBe('internal');
    expect((await ask(org)).text).not.toContain('eleven');

    expect((await org.patch(`/training/${item.id}`, { visibility: 'public' })).body.visibility).toBe('public');
    const { turn, text } = await ask(org);
    expect(turn).toMatchObject({
      state: 'answered',
      agent: 'extractive-1',
      citations: [{ item_id: item.id, title: 'Lost parcels', url: null }],
    });
    expect(text).toContain('> A lost parcel is replaced within eleven working days.');

    await org.put(`/training/${item.id}/draft`, { is_draft: true });
    expect((await ask(org)).text).not.toContain('eleven');
  });

  it('is quoted only on its channels and for contacts of its segments', async () => {
    const org = await newAnsweringOrg(stack);
    const filter = { or: [{ and: [{ type: 'contacts_name_in', name_in: ['Ann'] }] }] };
    const segment = await org.post('/segments', { name: 'Anns', filter });
    expect(segment.status).toBe(201);
    const { body: item } = await org.post('/training', {
      ...TRAINING,
      visibility: 'public',
      restricted_to_segments: [segment.body.id],
    });
    expect((await ask(org, { contact: { name: 'Ann' } })).text).toContain('eleven');
    expect((await ask(org, { contact: { name: 'Bob', email: 'bob@example.com' } })).text).not.toContain('eleven');
    await org.patch(`/training/${item.id}`, { restricted_to_channels: ['web'] });
    expect((await ask(org, { contact: { name: 'Ann' } })).text).not.toContain('eleven');
  });

  it('supports a model’s answer, and is shown as its source where it is public', async () => {
    model.say((asked) => quoting(asked, 'eleven', 'It is replaced within eleven working days.'));
    const org = await newAnsweringOrg(stack);
    await withModel(org);
    const { body: item } = await org.post('/training', TRAINING);
    const supported = await ask(org);
    expect(model.asked[0]?.data.passages).toContainEqual(
      expect.objectContaining({ use: 'training', title: item.title }),
    );
    expect(supported).toMatchObject({ turn: { state: 'answered', agent: 'helpful', citations: [] } });
    expect(supported.text).toBe('It is replaced within eleven working days.');

    await org.patch(`/training/${item.id}`, { visibility: 'public' });
    model.asked.length = 0;
    const shown = await ask(org);
    expect(model.asked[0]?.data.passages).toContainEqual(expect.objectContaining({ use: 'public', title: item.title }));
    expect(shown.turn.citations).toMatchObject([{ item_id: item.id, quote: expect.stringContaining('eleven') }]);
    expect(shown.said[0]?.citations).toMatchObject([{ title: item.title }]);
  });

  it('reaches the model also beside many instructions with the words of the question', async () => {
    model.say((asked) => quoting(asked, 'eleven', 'It is replaced within eleven working days.'));
    const org = await newAnsweringOrg(stack);
    await withModel(org);
    await org.post('/training', TRAINING);
    for (let nth = 0; nth < 12; nth++)
      await org.post('/training', { title: `Rule ${nth} of lost parcels`, content: QUESTION, type: 'BEHAVIORAL' });
    const { text } = await ask(org);
    expect(text).toBe('It is replaced within eleven working days.');
    const passages = model.asked[0]?.data.passages ?? [];
    expect(passages.filter(({ title }) => title.startsWith('Rule'))).toEqual([]);
  });

  it('gives the model neither drafts nor what is meant for others', async () => {
    model.say(() => ({ json: { kind: 'nothing', language: 'en', covers: 'fully', parts: [] } }));
    const org = await newAnsweringOrg(stack);
    await withModel(org);
    await org.post('/training', { ...TRAINING, visibility: 'public', is_draft: true });
    await org.post('/training', { ...TRAINING, visibility: 'public', restricted_to_channels: ['sms'] });
    await ask(org);
    expect(model.asked.length).toBeGreaterThan(0);
    expect(JSON.stringify(model.asked)).not.toContain('eleven');
  });

  it('is found by its visibility, in each search', async () => {
    const org = await stack.createOrg();
    const { body: open } = await org.post('/training', { ...TRAINING, visibility: 'public' });
    const { body: closed } = await org.post('/training', TRAINING);
    const found = async (visibility?: string[]) => {
      const { body } = await org.post('/training/search', { query: 'lost parcel', visibility });
      return body.results.map(({ id, visibility }: { id: string; visibility: string }) => [id, visibility]);
    };
    expect(await found(['public'])).toEqual([[open.id, 'public']]);
    expect(await found(['internal'])).toEqual([[closed.id, 'internal']]);
    expect((await found()).toSorted()).toEqual(
      [
        [open.id, 'public'],
        [closed.id, 'internal'],
      ].toSorted(),
    );
  });

  it('stays internal as an instruction', async () => {
    const org = await stack.createOrg();
    const tone = { title: 'Tone', content: 'Be brief.', type: 'BEHAVIORAL' };
    const refusal = { status: 400, body: { message: expect.stringContaining('visibility') } };
    expect(await org.post('/training', { ...tone, visibility: 'public' })).toMatchObject(refusal);
    const { body: item } = await org.post('/training', tone);
    expect(await org.patch(`/training/${item.id}`, { visibility: 'public' })).toMatchObject(refusal);
    const { body: open } = await org.post('/training', { ...TRAINING, visibility: 'public' });
    expect(await org.patch(`/training/${open.id}`, { type: 'BEHAVIORAL' })).toMatchObject(refusal);
    expect(await org.patch(`/training/${open.id}`, { type: 'BEHAVIORAL', visibility: 'internal' })).toMatchObject({
      status: 200,
    });
  });
});
