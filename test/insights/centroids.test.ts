import type { Db } from '../../src/db/connect.ts';
import { createCentroidCache } from '../../src/insights/assignment/centroid-cache.ts';
import { bytesOf, storedVectorOf } from '../../src/insights/similarity/vectors.rules.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';
import { differencesFromSums } from './recount.ts';
import { insightsOf, sessionWith } from './support.ts';

const DIMENSIONS = 12;
const CENTROID_BYTES = 4 * DIMENSIONS;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

/** Each text is a number, and has a direction of its own. */
const made = {
  space: 'model:test',
  vectorOf: (text: string) => {
    const vector = new Float32Array(DIMENSIONS);
    vector[Number(text)] = 1;
    return bytesOf(storedVectorOf(vector));
  },
};
const cacheFor = (insights: number) =>
  createCentroidCache({ maxBytes: 1_000_000, maxOrgBytes: Math.ceil((insights * CENTROID_BYTES) / 0.95) });
const say = (org: TestOrg, text: number, cache = cacheFor(100), db: Db = api.db) =>
  sessionWith(db, org, [String(text)], made, cache);
const countsOf = async (org: TestOrg) =>
  (await insightsOf(org, { sortBy: 'created_at', sortOrder: 'asc' })).map(
    (one) => `${one.content}: ${one.occurrence_count}`,
  );

describe('the insights of an org', () => {
  it('are all compared, and read once', async () => {
    const org = await api.createOrg();
    const cache = cacheFor(100);
    for (let text = 0; text < 6; text++) await say(org, text);
    await say(org, 3, cache);
    const read: number[] = [];
    const db = api.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        if (result.rows.some((row) => row.sum !== undefined && row.root_id !== undefined))
          read.push(result.rows.length);
        return result;
      },
    });
    await say(org, 3, cache, db);
    expect(await countsOf(org)).toEqual(['0: 1', '1: 1', '2: 1', '3: 3', '4: 1', '5: 1']);
    expect(read).toEqual([1]);
  });

  it.each(['from the beginning', 'as they become more'])(
    'beyond the limit are left out if they have the fewest sessions and are the longest unseen, %s',
    async (when) => {
      const org = await api.createOrg();
      const limited = cacheFor(3);
      const cache = when === 'as they become more' ? limited : cacheFor(100);
      for (const text of [0, 0, 1, 2, 3, 4]) await say(org, text, cache);
      for (const text of [0, 4, 1]) await say(org, text, limited);
      expect(await countsOf(org)).toEqual(['0: 3', '1: 1', '2: 1', '3: 1', '4: 2', '1: 1']);
      expect(await differencesFromSums(api.db, org.id)).toEqual([]);
    },
  );
});
