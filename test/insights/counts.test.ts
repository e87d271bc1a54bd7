import fc from 'fast-check';
import { sql } from 'kysely';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import { type CentroidCache, createCentroidCache } from '../../src/insights/assignment/centroid-cache.ts';
import { assignStatements } from '../../src/insights/assignment/service.ts';
import { insertExtraction } from '../../src/insights/extraction/queries.ts';
import { redactInsights } from '../../src/insights/redaction/service.ts';
import { bytesOf, storedVectorOf } from '../../src/insights/similarity/vectors.rules.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';
import { differencesFromRecount, differencesFromSums } from './recount.ts';

const RUNS = process.env.TEST_TIER === 'long' ? 60 : 8;
const TOPICS = ['parcel', 'refund', 'password', 'invoice', 'voucher'];
const SPACE = 'model:test';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

/** A vector in one of five directions, with a little of another one. */
function vectorAbout(topic: number, detail: number): Buffer {
  const vector = new Float32Array(TOPICS.length + 8);
  vector[topic] = 1;
  vector[TOPICS.length + detail] = 0.3;
  const length = Math.hypot(...vector);
  return bytesOf(storedVectorOf(vector.map((part) => part / length)));
}

interface World {
  org: TestOrg;
  cache: CentroidCache;
  sessions: string[];
  operations: string[];
  /** The insight that each statement was assigned to when it came. */
  first: Map<string, string | null>;
}

type Step = {
  kind: 'say' | 'merge' | 'split' | 'undo' | 'resolve' | 'archive' | 'reopen' | 'redact' | 'session';
  a: number;
  b: number;
};
const pick = <Item>(items: readonly Item[], nth: number): Item | undefined => items[nth % Math.max(1, items.length)];

/** Stores what a customer says, with its vector, and assigns it: as the activities do, without a workflow. */
async function say({ org, cache, sessions, first }: World, { a, b }: Step): Promise<void> {
  const repeated = b % 3 === 0 ? pick(sessions, a) : undefined;
  const sessionId =
    repeated ?? (await org.post('/chat/sessions', { channel: { type: a % 2 ? 'api' : 'web' } })).body.id;
  if (repeated === undefined) sessions.push(sessionId);
  const topics = [a, ...(b % 4 === 1 ? [a + 1] : [])].map((topic) => topic % TOPICS.length);
  const statements = topics.map((topic) => ({
    ...{ id: newId(), kind: 'problem' as const, messageId: newId(), at: new Date() },
    ...{ content: `${TOPICS[topic]} ${b}`, quote: `${TOPICS[topic]} ${b}` },
    sentiment: ([null, 'angry', 'happy', 'neutral'] as const)[b % 4] ?? null,
  }));
  await inTransaction(api.db, (trx) =>
    insertExtraction(trx, org.id, { sessionId, number: a * 1_000 + b + sessions.length, madeBy: 'test', statements }),
  );
  for (const [nth, { id }] of statements.entries())
    await api.db
      .updateTable('insight_statements')
      .set({ space: SPACE, vector: vectorAbout(topics[nth] ?? 0, b % 8) })
      .where('org_id', '=', org.id)
      .where('id', '=', id)
      .execute();
  await assignStatements(api.db, cache, org.id, sessionId);
  await assignStatements(api.db, cache, org.id, sessionId);
  for (const [id, own] of await ownInsightsOf(org, sessionId)) if (!first.has(id)) first.set(id, own);
}

async function take(world: World, step: Step): Promise<void> {
  const { org, sessions, operations } = world;
  const { kind, a, b } = step;
  if (kind === 'say') return say(world, step);
  const all = (await org.post('/insights', { sortBy: 'created_at' })).body.data as { id: string }[];
  const id = pick(all, a)?.id;
  const other = pick(all, b)?.id;
  if (id === undefined || other === undefined) return;
  const did = (answer: { body: { items?: { id: string }[]; operation?: { id: string } } }) =>
    operations.push(...(answer.body.items ?? [answer.body.operation]).flatMap((one) => one?.id ?? []));
  if (kind === 'merge') did(await org.post(`/insights/${id}/merge`, { insight_ids: [other] }));
  if (kind === 'split') {
    const { items } = (await org.get(`/insights/${id}/occurrences`)).body;
    const ids = items.filter((_: object, nth: number) => nth % 2 === b % 2).map((one: { id: string }) => one.id);
    if (ids.length > 0) did(await org.post(`/insights/${id}/split`, { occurrence_ids: ids }));
  }
  if (kind === 'undo') await org.post(`/insights/operations/${pick(operations, a) ?? newId()}/undo`);
  if (kind === 'resolve' || kind === 'reopen') await org.post(`/insights/${id}/${kind}`);
  if (kind === 'archive') await org.post(`/insights/${id}/archive`, { reason: 'test' });
  const session = pick(sessions, b);
  if (session === undefined) return;
  if (kind === 'session')
    await org.patch(`/chat/sessions/${session}`, { status: a % 2 ? 'closed_unresolved' : 'open' });
  if (kind === 'redact')
    await inTransaction(api.db, (trx) =>
      redactInsights(trx, org.id, [{ subject_id: session, payload: { message_id: null } } as never]),
    );
}

/** The insights with the numbers of their sessions that were created in a range, counted anew from the statements. */
async function recountInRange(org: TestOrg, from: Date, to: Date): Promise<[id: string, sessions: number][]> {
  const { rows } = await sql<{ id: string; sessions: number }>`
    select said.insight_id as id, count(distinct said.session_id) as sessions from insight_statements as said
    join sessions as session on session.org_id = said.org_id and session.id = said.session_id
    where said.org_id = ${org.id} and session.created_at >= ${from} and session.created_at <= ${to} group by 1
  `.execute(api.db);
  return rows.map(({ id, sessions }) => [id, sessions]);
}

/** The query of insights, beside a recount, for ranges that begin and end with any of the sessions. */
async function expectRanges(org: TestOrg): Promise<void> {
  const rows = await api.db.selectFrom('sessions').select('created_at').where('org_id', '=', org.id).execute();
  const times = rows.map(({ created_at }) => created_at).sort((a, b) => a.getTime() - b.getTime());
  for (const [first, last] of [
    [0, 1],
    [0.1, 0.9],
    [0.4, 0.6],
    [0.5, 1],
    [0, 0.2],
  ] as const) {
    const [from, to] = [first, last].map((share) => times[Math.floor(share * (times.length - 1))]);
    if (from === undefined || to === undefined) continue;
    const query = { sessionFromDate: from.toISOString(), sessionToDate: to.toISOString() };
    const { data } = (await org.post('/insights', query)).body as { data: { id: string; occurrence_count: number }[] };
    const found = data.map(({ id, occurrence_count }) => [id, occurrence_count]);
    expect(found.sort()).toEqual((await recountInRange(org, from, to)).sort());
  }
}

/** The own insights of statements, of all or of a session. */
const ownInsightsOf = async (org: TestOrg, sessionId?: string): Promise<[id: string, own: string | null][]> => {
  const rows = await api.db
    .selectFrom('insight_statements')
    .select(['id', 'own_insight_id'])
    .where('org_id', '=', org.id)
    .$if(sessionId !== undefined, (query) => query.where('session_id', '=', sessionId ?? ''))
    .orderBy('id')
    .execute();
  return rows.map(({ id, own_insight_id }) => [id, own_insight_id]);
};

/** Undoes all operations in an order that the number decides, each when it is allowed. Returns those that never are. */
async function undoAll(org: TestOrg, operations: readonly string[], order: number): Promise<string[]> {
  let left = operations.map((id, nth) => ({ id, at: (nth * (2 * order + 1)) % 41 })).sort((a, b) => a.at - b.at);
  for (;;) {
    const refused: typeof left = [];
    for (const one of left) {
      const { status, body } = await org.post(`/insights/operations/${one.id}/undo`);
      if (status === 409 && !/already undone/.test(JSON.stringify(body))) refused.push(one);
    }
    if (refused.length === 0 || refused.length === left.length) return refused.map(({ id }) => id);
    left = refused;
  }
}

/** The insights of customers, not of a split, that are part of another one. */
const mergedInsights = async (org: TestOrg): Promise<string[]> => {
  const rows = await api.db
    .selectFrom('insights')
    .select('id')
    .where('org_id', '=', org.id)
    .where('merged_into', 'is not', null)
    .where('id', 'not in', (eb) =>
      eb.selectFrom('insight_operations').select('insight_id').where('org_id', '=', org.id).where('kind', '=', 'split'),
    )
    .execute();
  return rows.map(({ id }) => id);
};

describe('the counts of insights', () => {
  it('equal a plain recount after any operations, and all that is undone returns to its first insight', async () => {
    const step: fc.Arbitrary<Step> = fc.record({
      kind: fc.oneof(
        { weight: 4, arbitrary: fc.constant('say' as const) },
        {
          weight: 5,
          arbitrary: fc.constantFrom(
            'merge',
            'merge',
            'split',
            'undo',
            'undo',
            'resolve',
            'archive',
            'reopen',
            'redact',
            'session',
          ),
        },
      ),
      a: fc.nat(20),
      b: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const world: World = {
          ...{ org: await api.createOrg(), cache: createCentroidCache() },
          ...{ sessions: [], operations: [], first: new Map() },
        };
        for (const one of steps) await take(world, one);
        expect(await differencesFromRecount(api.db, world.org.id)).toEqual([]);
        expect(await differencesFromSums(api.db, world.org.id)).toEqual([]);
        await expectRanges(world.org);
        expect(await undoAll(world.org, world.operations, steps.length)).toEqual([]);
        const left = await ownInsightsOf(world.org);
        expect(left).toEqual(left.map(([id]) => [id, world.first.get(id)]));
        expect(await mergedInsights(world.org)).toEqual([]);
        expect(await differencesFromRecount(api.db, world.org.id)).toEqual([]);
        expect(await differencesFromSums(api.db, world.org.id)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  }, 300_000);
});
