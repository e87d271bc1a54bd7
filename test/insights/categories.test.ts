import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { textsAbout } from '../tagging/tagged-texts.ts';
import { type InsightAnswer, insightsOf, resolvedSaying } from './support.ts';

const CATEGORIES = { refund: 'Money', delivery: 'Delivery' } as const;
type Topic = keyof typeof CATEGORIES;
const TOPICS = ['refund', 'delivery'] as const;
const EXAMPLES = 12;
const UNKNOWN = 'Do you sell gift cards in your museum on the moon';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const occurrencesOf = async (org: TestOrg, id: string): Promise<{ id: string; content: string }[]> =>
  (await org.get(`/insights/${id}/occurrences?limit=100`)).body.items;

async function insightsAbout(org: TestOrg, topic: Topic): Promise<InsightAnswer[]> {
  const texts = new Set(textsAbout(topic, EXAMPLES));
  return (await insightsOf(org)).filter(({ content }) => texts.has(content));
}

/** Makes one occurrence of a topic an insight of its own, which nobody has given a category. */
async function splitOff(org: TestOrg, topic: Topic): Promise<string> {
  const grown = (await insightsAbout(org, topic)).find((one) => one.occurrence_count > 1);
  const [occurrence] = await occurrencesOf(org, grown?.id ?? '');
  return (await org.post(`/insights/${grown?.id}/split`, { occurrence_ids: [occurrence?.id] })).body.insight.id;
}

async function review(org: TestOrg): Promise<void> {
  const { reviewed_at: before } = (await org.post('/insights/proposals/run')).body;
  await eventually('a review', async () => {
    const { reviewed_at } = (await org.get('/insights/proposals')).body;
    return reviewed_at !== before || undefined;
  });
}

const categoryOf = async (org: TestOrg, id: string) => (await org.get(`/insights/${id}`)).body.category;

/** An org whose people have given categories to insights about two topics, and none to one insight of each. */
async function categorizingOrg() {
  const org = await stack.createOrg();
  await org.put('/insights/categories', { categories: Object.values(CATEGORIES) });
  for (const topic of TOPICS) for (const text of textsAbout(topic, EXAMPLES)) await resolvedSaying(stack, org, text);
  await resolvedSaying(stack, org, UNKNOWN);
  const given: string[] = [];
  const left = { refund: await splitOff(org, 'refund'), delivery: await splitOff(org, 'delivery') };
  for (const topic of TOPICS)
    for (const { id } of await insightsAbout(org, topic)) {
      if (id === left[topic]) continue;
      given.push(id);
      expect((await org.patch(`/insights/${id}`, { category: CATEGORIES[topic] })).status).toBe(200);
    }
  return { org, given, left };
}

describe('a review of insights', () => {
  it('gives no category to an insight that a person said has none', async () => {
    const { org, left } = await categorizingOrg();
    expect((await org.patch(`/insights/${left.refund}`, { category: null })).body.category).toBeNull();
    await review(org);
    expect(await categoryOf(org, left.delivery)).toBe('Delivery');
    expect(await categoryOf(org, left.refund)).toBeNull();
    await org.patch(`/insights/${left.refund}`, { content: 'Money, please' });
    await org.put('/insights/categories', { categories: ['Money'] });
    await review(org);
    expect(await categoryOf(org, left.refund)).toBeNull();
  }, 60_000);

  it('gives the categories that people have given to insights like theirs, and none where it is not sure', async () => {
    const { org, left } = await categorizingOrg();
    await review(org);
    for (const topic of TOPICS) expect(await categoryOf(org, left[topic])).toBe(CATEGORIES[topic]);
    expect(await insightsOf(org, { search: 'museum' })).toMatchObject([{ category: null }]);
    expect((await insightsOf(org, { category: 'Money' })).map(({ id }) => id)).toContain(left.refund);
  }, 60_000);

  it('never changes a category that a person has given, and follows what people change', async () => {
    const { org, given, left } = await categorizingOrg();
    await org.patch(`/insights/${left.refund}`, { category: 'Delivery' });
    await review(org);
    expect(await categoryOf(org, left.refund)).toBe('Delivery');
    expect(await categoryOf(org, left.delivery)).toBe('Delivery');
    for (const id of given) await org.patch(`/insights/${id}`, { category: null });
    await org.patch(`/insights/${left.refund}`, { category: null });
    await review(org);
    expect(await categoryOf(org, left.delivery)).toBeNull();
  }, 60_000);
});
