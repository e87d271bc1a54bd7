import { FAKES_ALLOWED } from '../support/channels.ts';
import { type FakeEmbeddings, startFakeEmbeddings } from '../support/fakes/embeddings.ts';
import { type FakeModel, startFakeModel } from '../support/fakes/model.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { extracted, insightsOf, resolvedSaying } from './support.ts';

const PARCEL = 'Where is it? My parcel still has not arrived.';

let stack: Stack;
let model: FakeModel;
let embeddings: FakeEmbeddings;
beforeAll(async () => {
  model = await startFakeModel(undefined, ['statements', 'names']);
  embeddings = await startFakeEmbeddings();
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await stack.close();
  await Promise.all([model.close(), embeddings.close()]);
});
afterEach(() => {
  model.asked.length = 0;
});

async function orgWith(settings: object): Promise<TestOrg> {
  const org = await stack.createOrg();
  expect((await org.put('/integrations/llm', { provider: 'openai-compatible', settings })).status).toBe(200);
  return org;
}

const statement = (content: string, quote: string, rest: object = {}) => ({
  ...{ kind: 'problem', content, quote, message: 1, sentiment: 'angry' },
  ...rest,
});

describe('a model', () => {
  it('says what a customer ran into, with quotes that the customer wrote', async () => {
    model.say(() => ({
      json: {
        statements: [
          statement('A parcel has not arrived', 'my PARCEL still has  not arrived'),
          statement('The courier was rude', 'the courier shouted at me'),
        ],
      },
    }));
    const org = await orgWith(model.settings);
    await resolvedSaying(stack, org, PARCEL);
    const [insight, ...others] = await insightsOf(org);
    expect(others).toEqual([]);
    expect(insight).toMatchObject({ content: 'A parcel has not arrived', sentiment: 'angry' });
    expect((await org.get(`/insights/${insight?.id}/occurrences`)).body.items).toMatchObject([
      { kind: 'problem', quote: 'My parcel still has not arrived', sentiment: 'angry' },
    ]);
    const usage = (await org.get('/autopilot/usage?group_by=purpose')).body.items;
    expect(usage).toMatchObject([{ group: 'insights', calls: 1, failed_calls: 0 }]);
  });

  it('is not believed where it quotes what an e-mail of the customer quotes', async () => {
    model.say(() => ({
      json: {
        statements: [
          statement('A parcel has not arrived', 'My parcel still has not arrived'),
          statement('The zeppelin is late', 'our zeppelin is late'),
        ],
      },
    }));
    const org = await orgWith(model.settings);
    const session = (await org.post('/chat/sessions', { channel: { type: 'email' } })).body.id;
    const text = `${PARCEL}\n\nOn 1 May 2026 Support wrote:\n> We are sorry, our zeppelin is late.`;
    await org.post(`/chat/sessions/${session}/send`, { sender: 'contact', message: { type: 'text', text } });
    await org.patch(`/chat/sessions/${session}`, { status: 'closed_resolved' });
    await extracted(stack, org, session);
    expect((await insightsOf(org)).map(({ content }) => content)).toEqual(['A parcel has not arrived']);
    expect(JSON.stringify(model.asked)).not.toContain('zeppelin');
  });

  it('names an insight over its quotes once it has grown', async () => {
    model.say(({ messages }) =>
      messages[0]?.content.startsWith('You name')
        ? { json: { name: 'Parcels are late' } }
        : { json: { statements: [statement('A parcel has not arrived', 'My parcel still has not arrived')] } },
    );
    const org = await orgWith(model.settings);
    await resolvedSaying(stack, org, PARCEL);
    await resolvedSaying(stack, org, PARCEL);
    await eventually('a name', async () => (await insightsOf(org))[0]?.content === 'Parcels are late' || undefined);
  });

  it('a model that quotes nothing of the customer is not believed: the customer’s own sentence stands', async () => {
    model.say(() => ({ json: { statements: [statement('Everything is fine', 'I am so happy today')] } }));
    const org = await orgWith(model.settings);
    await org.patch('/autopilot/settings', { budgets: { day: { tokens: 1 } } });
    await org.post('/autopilot/settings/publish');
    await resolvedSaying(stack, org, PARCEL);
    expect(await insightsOf(org)).toMatchObject([{ content: 'My parcel still has not arrived.', sentiment: null }]);
    expect(model.asked).toEqual([]);
  });
});

describe('an embedding model', () => {
  it('puts together what says the same in other words', async () => {
    model.say(() => ({ json: { statements: [] } }));
    const org = await orgWith({ ...embeddings.settings });
    await org.patch('/autopilot/settings', { mode: 'extractive' });
    await org.post('/autopilot/settings/publish');
    await resolvedSaying(stack, org, 'When will you ship the parcel that I ordered');
    await resolvedSaying(stack, org, 'My kitten does not like the food of this pet shop');
    await resolvedSaying(stack, org, 'Nobody came to deliver anything by post');
    await resolvedSaying(stack, org, 'The cat is not well since the last feline biscuits');
    expect((await insightsOf(org)).map((one) => one.occurrence_count)).toEqual([2, 2]);
  });

  it('that refuses what a customer said does not stop what others said', async () => {
    embeddings.failAt((text) => (text.includes('cursed') ? 422 : undefined));
    const org = await orgWith({ ...embeddings.settings });
    await org.patch('/autopilot/settings', { mode: 'extractive' });
    await org.post('/autopilot/settings/publish');
    await resolvedSaying(stack, org, 'My cursed parcel has not arrived');
    await resolvedSaying(stack, org, 'When will you ship the parcel that I ordered');
    await resolvedSaying(stack, org, 'Nobody came to deliver anything by post');
    embeddings.failAt(() => undefined);
    expect((await insightsOf(org)).map((one) => one.occurrence_count).toSorted()).toEqual([1, 2]);
  });

  it.each(['corrected', 'removed'])(
    'that refuses the key holds statements up only until the key is %s',
    async (how) => {
      const org = await orgWith({ ...embeddings.settings, api_key: 'revoked' });
      await org.patch('/autopilot/settings', { mode: 'extractive' });
      await org.post('/autopilot/settings/publish');
      const before = embeddings.refused();
      const { body: session } = await org.post('/chat/sessions', { channel: { type: 'api' } });
      const said = { sender: 'contact', message: { type: 'text', text: 'My parcel has not arrived' } };
      await org.post(`/chat/sessions/${session.id}/send`, said);
      await org.patch(`/chat/sessions/${session.id}`, { status: 'closed_resolved' });
      await eventually('a refusal', async () => embeddings.refused() > before || undefined);
      expect(await insightsOf(org)).toEqual([]);
      if (how === 'removed') await org.delete('/integrations/llm');
      else await org.put('/integrations/llm', { provider: 'openai-compatible', settings: embeddings.settings });
      await eventually('an insight', async () => (await insightsOf(org)).length === 1 || undefined);
    },
  );

  it('compares insights that were made by words anew', async () => {
    const org = await stack.createOrg();
    await resolvedSaying(stack, org, 'When will you ship the parcel that I ordered');
    await resolvedSaying(stack, org, 'My kitten does not like the food of this pet shop');
    await org.put('/integrations/llm', { provider: 'openai-compatible', settings: embeddings.settings });
    await org.patch('/autopilot/settings', { mode: 'extractive' });
    await org.post('/autopilot/settings/publish');
    await resolvedSaying(stack, org, 'Nobody came to deliver anything by post');
    expect((await insightsOf(org)).map((one) => one.occurrence_count)).toEqual([2, 1]);
  });
});

describe('a review', () => {
  it('proposes insights that are alike and not archived, until that is dismissed', async () => {
    const org = await stack.createOrg();
    await org.put('/insights/categories', { categories: ['Delivery', 'Account'] });
    await resolvedSaying(stack, org, 'My parcel has not arrived');
    const [parcel] = await insightsOf(org);
    const occurrences = async () => (await org.get(`/insights/${parcel?.id}/occurrences`)).body.items;
    await resolvedSaying(stack, org, 'My parcel has not arrived');
    const [one] = await occurrences();
    await org.post(`/insights/${parcel?.id}/split`, { occurrence_ids: [one.id] });
    await resolvedSaying(stack, org, 'How do I change the password of my account');
    await org.post('/insights/proposals/run');
    const { items } = await eventually('a review', async () => {
      const { body } = await org.get('/insights/proposals');
      return body.items.length > 0 ? body : undefined;
    });
    expect(items).toMatchObject([{ insight: { number: 1 }, other: { number: 2 } }]);
    const proposed = async () => (await org.get('/insights/proposals')).body.items;
    await org.post(`/insights/${items[0].other.id}/archive`, { reason: 'no longer sold' });
    expect(await proposed()).toEqual([]);
    await org.post(`/insights/${items[0].other.id}/reopen`);
    expect(await proposed()).toEqual(items);
    const dismissed = await org.post(`/insights/proposals/${items[0].id}/dismiss`);
    expect([dismissed.status, dismissed.body]).toEqual([200, items[0]]);
    expect((await org.post(`/insights/proposals/${items[0].id}/dismiss`)).body).toEqual(items[0]);
    expect((await org.post(`/insights/proposals/${org.id}/dismiss`)).status).toBe(404);
    expect(await proposed()).toEqual([]);
  });
});
