import { NO_EMBEDDER } from '../../src/embedder/embedder.ts';
import { InputFailed, InputRefused, ProviderError } from '../../src/errors.ts';
import { alignInsights } from '../../src/insights/assignment/embedding.service.ts';
import { findStatementModel } from '../../src/insights/assignment/models.ts';
import { createRefusalMemory } from '../../src/insights/assignment/refusal-memory.ts';
import { bytesOf, storedVectorOf } from '../../src/insights/similarity/vectors.rules.ts';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';
import { differencesFromSums, termsOf } from './recount.ts';
import { redactedFrom, sessionWith } from './support.ts';

/** Each is an insight: none has a word of another one. */
const TEXTS = [
  'parcel lost yesterday',
  'invoice shows wrong sum',
  'cannot change password',
  'lamp arrived broken',
  'voucher expired early',
  'courier was rude',
  'app crashes often',
  'refund takes forever',
  'newsletter keeps coming',
];
/** Texts of these have words in common, and are insights of their own. */
const THINGS = [
  ...['parcel', 'invoice', 'password', 'lamp', 'voucher', 'courier', 'application', 'refund', 'newsletter', 'kettle'],
  ...['jacket', 'subscription', 'airport', 'museum', 'garden', 'bicycle', 'printer', 'camera', 'pillow', 'blanket'],
];
const EVENTS = [
  ...[
    'vanished',
    'doubled',
    'expired',
    'cracked',
    'overcharged',
    'shouted',
    'crashed',
    'delayed',
    'repeated',
    'leaked',
  ],
  ...['shrank', 'renewed', 'closed', 'flooded', 'withered', 'rusted', 'jammed', 'blurred', 'smelled', 'ripped'],
];
const VECTORS_AT_ONCE = 200;
const MODEL = { embedding_model: 'small', base_url: 'http://127.0.0.1:9/v1', api_key: 'none', model: 'chat' };
const SPACE = 'model:small';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ env: FAKES_ALLOWED });
});
afterAll(() => api.close());

/** A direction of its own for each text, and a little of another one for each try. */
function vectorOf(text: string, nth = 0): Float32Array {
  const vector = new Float32Array(TEXTS.length + 2);
  vector[Math.max(0, TEXTS.indexOf(text))] = 0.96;
  vector[TEXTS.length + nth] = 0.28;
  return vector;
}
const bytesOfText = (text: string) => bytesOf(storedVectorOf(vectorOf(text)));

const align = (
  org: TestOrg,
  embed = async (texts: string[]) => texts.map((text) => vectorOf(text)),
  { attempt = 1, leftOut = [] as string[], refusals = createRefusalMemory(), db = api.db } = {},
) =>
  alignInsights(
    {
      ...{ db, attempt },
      findModel: (orgId) =>
        findStatementModel(
          {
            ...{ db, refusals, secrets: api.deps.secrets, embedder: NO_EMBEDDER },
            embed: (_, texts) => embed(texts),
            signal: new AbortController().signal,
          },
          orgId,
        ),
      pause: async () => undefined,
      onLeftOut: (id) => leftOut.push(id),
    },
    org.id,
  );

async function alignAll(org: TestOrg): Promise<void> {
  while (!(await align(org)));
}

/** An org whose insights were made by words, one a text, and that has an embedding model since then. */
async function orgBeforeAlignment(texts: string[]) {
  const org = await api.createOrg();
  const sessions: string[] = [];
  for (const text of texts) sessions.push(await sessionWith(api.db, org, [text]));
  return { org, sessions };
}
const connect = async (org: TestOrg, settings: object = MODEL) =>
  expect((await org.put('/integrations/llm', { provider: 'openai-compatible', settings })).status).toBe(200);

const spaceOf = (org: TestOrg) =>
  api.db.selectFrom('insight_spaces').selectAll().where('org_id', '=', org.id).executeTakeFirstOrThrow();

describe('after a change of the embedding model', () => {
  it.each([
    ['in the middle', TEXTS, 9],
    ['at the end', TEXTS.slice(0, 8), 8],
  ])('the sum of all vectors stays where insights %s have no statement left', async (_, texts, insights) => {
    const { org, sessions } = await orgBeforeAlignment(texts);
    await redactedFrom(api.db, org, sessions.slice(4, 8));
    await connect(org);
    await alignAll(org);
    expect(await spaceOf(org)).toMatchObject({ space: SPACE, vectors: insights - 4 });
    expect(await differencesFromSums(api.db, org.id)).toEqual([]);
  });

  it('insights have sums after a split too', async () => {
    const { org, sessions } = await orgBeforeAlignment([...TEXTS.slice(0, 8), TEXTS[0] ?? '']);
    await redactedFrom(api.db, org, sessions.slice(4, 8));
    await connect(org);
    await alignAll(org);
    const [grown] = (await org.post('/insights', { minSessions: 2 })).body.data;
    const [occurrence] = (await org.get(`/insights/${grown.id}/occurrences`)).body.items;
    const { operation } = (await org.post(`/insights/${grown.id}/split`, { occurrence_ids: [occurrence.id] })).body;
    expect(await differencesFromSums(api.db, org.id)).toEqual([]);
    await org.post(`/insights/operations/${operation.id}/undo`);
    expect(await differencesFromSums(api.db, org.id)).toEqual([]);
  });

  it('insights that another worker has compared anew meanwhile keep the vectors of their sums', async () => {
    const { org } = await orgBeforeAlignment(TEXTS.slice(0, 2));
    await connect(org);
    await align(org, async (texts) => {
      await align(org);
      return texts.map((text) => vectorOf(text, 1));
    });
    expect(await differencesFromSums(api.db, org.id)).toEqual([]);
  });
});

describe('after a return to an earlier space', () => {
  it('statements by words are weighed as before the model, so that what is said again is found', async () => {
    const texts = THINGS.map((thing, nth) => `The ${thing} ${EVENTS[nth]} again today`);
    const { org } = await orgBeforeAlignment(texts);
    const before = (await org.post('/insights', {})).body.total;
    await connect(org);
    await alignAll(org);
    expect((await org.delete('/integrations/llm')).status).toBeLessThan(300);
    await alignAll(org);
    for (const text of texts.slice(0, 6)) await sessionWith(api.db, org, [text]);
    expect((await org.post('/insights', {})).body.total).toBe(before);
  });

  it('the vectors that statements have already are added up some at a time', async () => {
    const org = await api.createOrg();
    const said = Array.from({ length: 1.4 * VECTORS_AT_ONCE }, (_, nth) => TEXTS[nth % 4 === 0 ? 1 : 0] ?? '');
    await sessionWith(api.db, org, said, { space: SPACE, vectorOf: bytesOfText });
    await connect(org, { ...MODEL, embedding_model: 'another' });
    await alignAll(org);
    expect(await spaceOf(org)).toMatchObject({ space: 'model:another', vectors: 16 });
    await connect(org);
    let most = 0;
    const db = api.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        if (result.rows.some(({ vector }) => vector !== undefined)) most = Math.max(most, result.rows.length);
        return result;
      },
    });
    while (!(await align(org, undefined, { db })));
    expect(most).toBe(VECTORS_AT_ONCE);
    expect(await spaceOf(org)).toMatchObject({ space: SPACE, vectors: said.length });
    expect(await differencesFromSums(api.db, org.id)).toEqual([]);
  });
});

it('insights that have all their vectors are stored before an attempt of a slow provider ends', async () => {
  const { org } = await orgBeforeAlignment(TEXTS.slice(0, 3));
  await connect(org);
  let answers = 0;
  const ending = async (texts: string[]) => {
    if (texts.length > 1) throw new InputFailed('did not answer in time', { transient: true });
    if (!TEXTS.includes(texts[0] ?? '')) return texts.map((text) => vectorOf(text));
    if (++answers > 2) throw new Error('the attempt ended');
    return texts.map((text) => vectorOf(text));
  };
  await expect(align(org, ending)).rejects.toThrow('the attempt ended');
  expect(await spaceOf(org)).toMatchObject({ space: SPACE, vectors: 2 });
  expect(await differencesFromSums(api.db, org.id)).toEqual([]);
  await alignAll(org);
  expect(await spaceOf(org)).toMatchObject({ space: SPACE, vectors: 3 });
  expect(await differencesFromSums(api.db, org.id)).toEqual([]);
});

describe('a statement that the model cannot embed', () => {
  const failing = (failure: Error) => async (texts: string[]) => {
    if (texts.includes(TEXTS[1] ?? '')) throw failure;
    return texts.map((text) => vectorOf(text));
  };
  const failed = new InputFailed('answered 500', { transient: true });
  const refused = new InputRefused('not that', { transient: false });

  it.each([
    ['fails at', failed, 5],
    ['refuses', refused, 1],
  ])('because it %s it is like no other, and the others are compared', async (_, failure, attempt) => {
    const { org, sessions } = await orgBeforeAlignment(TEXTS.slice(0, 3));
    await connect(org);
    const leftOut: string[] = [];
    if (attempt > 1) await expect(align(org, failing(failure), { leftOut })).rejects.toThrow(failure.message);
    expect(leftOut).toEqual([]);
    while (!(await align(org, failing(failure), { attempt, leftOut })));
    expect(leftOut).toHaveLength(1);
    expect(await spaceOf(org)).toMatchObject({ space: SPACE, vectors: 2 });
    expect(await differencesFromSums(api.db, org.id)).toEqual([]);

    const nothing = bytesOf(storedVectorOf(new Float32Array(vectorOf('').length)));
    const made = { space: SPACE, vectorOf: (text: string) => (text === TEXTS[1] ? nothing : bytesOfText(text)) };
    await sessionWith(api.db, org, [TEXTS[0] ?? '', TEXTS[1] ?? ''], made);
    const counts = async () =>
      (await org.post('/insights', {})).body.data.map((one: { occurrence_count: number }) => one.occurrence_count);
    expect((await counts()).toSorted()).toEqual([1, 1, 1, 2]);
    expect(await differencesFromSums(api.db, org.id)).toEqual([]);
    await redactedFrom(api.db, org, sessions);
    expect(await differencesFromSums(api.db, org.id)).toEqual([]);
  });
});

describe('settings that the provider refuses', () => {
  it('are not asked with for each session that waits, but at once after they were corrected', async () => {
    const { org } = await orgBeforeAlignment(TEXTS.slice(0, 2));
    await connect(org);
    const refusals = createRefusalMemory();
    let calls = 0;
    const refusing = async () => {
      calls++;
      throw new ProviderError('wrong key', { transient: false });
    };
    for (let session = 0; session < 3; session++)
      await expect(align(org, refusing, { refusals })).rejects.toThrow('wrong key');
    expect(calls).toBe(1);
    await connect(org, { ...MODEL, api_key: 'another' });
    expect(await align(org, undefined, { refusals })).toBe(false);
  });

  it('are asked with at once after the same were saved again, as after a payment', async () => {
    const { org } = await orgBeforeAlignment(TEXTS.slice(0, 2));
    await connect(org);
    const refusals = createRefusalMemory();
    const refusing = async () => {
      throw new ProviderError('no credit', { transient: false });
    };
    await expect(align(org, refusing, { refusals })).rejects.toThrow('no credit');
    await connect(org);
    expect(await align(org, undefined, { refusals })).toBe(false);
  });
});

describe('the words that statements are compared by', () => {
  const expectTerms = async (org: TestOrg) => {
    const { stored, counted } = await termsOf(api.db, org.id);
    expect(stored).toEqual(counted);
    return Object.keys(stored).length;
  };

  it('are forgotten with the statements of a redacted session', async () => {
    const { org, sessions } = await orgBeforeAlignment([...TEXTS.slice(0, 3), TEXTS[0] ?? '']);
    const several = await sessionWith(api.db, org, ['parcel lost again', 'voucher lost again']);
    expect(await expectTerms(org)).toBeGreaterThan(0);
    await redactedFrom(api.db, org, [several, sessions[0] ?? '']);
    expect(await expectTerms(org)).toBeGreaterThan(0);
    await redactedFrom(api.db, org, [several]);
    await expectTerms(org);
    await redactedFrom(api.db, org, sessions);
    expect(await expectTerms(org)).toBe(0);
  });

  it('are forgotten after a change to a model too', async () => {
    const { org, sessions } = await orgBeforeAlignment(TEXTS.slice(0, 3));
    await connect(org);
    await alignAll(org);
    await redactedFrom(api.db, org, sessions.slice(0, 2));
    expect(await expectTerms(org)).toBeGreaterThan(0);
  });

  it('are not forgotten for statements that a model has compared', async () => {
    const { org } = await orgBeforeAlignment(TEXTS.slice(0, 3));
    const before = (await termsOf(api.db, org.id)).stored;
    await connect(org);
    await alignAll(org);
    const made = { space: SPACE, vectorOf: bytesOfText };
    const session = await sessionWith(api.db, org, [TEXTS[0] ?? ''], made);
    expect((await org.delete('/integrations/llm')).status).toBeLessThan(300);
    await alignAll(org);
    await redactedFrom(api.db, org, [session]);
    expect((await termsOf(api.db, org.id)).stored).toEqual(before);
  });
});
