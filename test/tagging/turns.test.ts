import { requestWeeklyReviews, reviewInsights } from '../../src/insights/review/service.ts';
import { createTagLearner, type TagLearner } from '../../src/tagging/learner.ts';
import { learnTagsOf } from '../../src/tagging/learning.service.ts';
import { requestDailyLearning } from '../../src/tagging/service.ts';
import { sessionWith } from '../insights/support.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';

const { signal } = new AbortController();

let api: TestApi;
let learner: TagLearner;
beforeAll(async () => {
  api = await startApi();
  learner = createTagLearner();
});
afterAll(async () => {
  await learner.close();
  await api.close();
});

async function taggingOrg(): Promise<TestOrg> {
  const org = await api.createOrg();
  await org.put('/tags/auto-tagging', { enabled: true });
  return org;
}

/** Lists the orgs in whose row of a table a request waits, the oldest first. */
async function waitingIn(table: 'ai_tag_models' | 'insight_reviews'): Promise<string[]> {
  const doneAt = table === 'ai_tag_models' ? 'learnt_at' : 'reviewed_at';
  const rows = api.db
    .selectFrom(table as 'insight_reviews')
    .select('org_id')
    .orderBy('requested_at');
  return (await rows.where(doneAt as 'reviewed_at', 'is', null).execute()).map(({ org_id }) => org_id);
}

it('daily learning is requested of two orgs at a time, and each that ends requests the next', async () => {
  for (let nth = 0; nth < 4; nth++) await taggingOrg();
  expect([await requestDailyLearning(api.db), await requestDailyLearning(api.db)]).toEqual([2, 0]);
  const [first = '', second = ''] = await waitingIn('ai_tag_models');
  await learnTagsOf(api.db, learner, first, signal);
  expect(await waitingIn('ai_tag_models')).toMatchObject([second, expect.any(String)]);

  const anHourAgo = { requested_at: new Date(Date.now() - 3_700_000) };
  await api.db.updateTable('ai_tag_models').set(anHourAgo).where('learnt_at', 'is', null).execute();
  expect(await requestDailyLearning(api.db)).toBe(1); // those that never end do not stop the last one
});

it('a weekly review is requested of one org at a time, and each that ends requests the next', async () => {
  for (let nth = 0; nth < 2; nth++) await sessionWith(api.db, await api.createOrg(), ['The lamp is broken']);
  expect([await requestWeeklyReviews(api.db), await requestWeeklyReviews(api.db)]).toEqual([1, 0]);
  const [first = ''] = await waitingIn('insight_reviews');
  await reviewInsights(api.db, learner, first, signal);
  expect(await waitingIn('insight_reviews')).toEqual([expect.not.stringContaining(first)]);
  await reviewInsights(api.db, learner, (await waitingIn('insight_reviews'))[0] ?? '', signal);
  expect(await requestWeeklyReviews(api.db)).toBe(0);
});

it('the texts of an org are read in its turn only', async () => {
  const order: string[] = [];
  const lessonOf = (name: string) => async () => {
    order.push(`${name} reads`);
    return { texts: [] };
  };
  const learn = async (name: string) => {
    await learner.learn(name, lessonOf(name), signal);
    order.push(`${name} has learnt`);
  };
  await Promise.all(['one', 'other'].map(learn));
  expect(order).toEqual(['one reads', 'one has learnt', 'other reads', 'other has learnt']);
});
