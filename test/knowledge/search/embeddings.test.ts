import fc from 'fast-check';
import { findSearchedModel } from '../../../src/knowledge/embedding/searched-models.queries.ts';
import { fuseScores } from '../../../src/knowledge/search/fusion.rules.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type FakeEmbeddings, startFakeEmbeddings } from '../../support/fakes/embeddings.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

let stack: Stack;
let fake: FakeEmbeddings;
let org: TestOrg;
beforeAll(async () => {
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(() => stack.close());
beforeEach(async () => {
  fake = await startFakeEmbeddings();
  org = await stack.createOrg();
});
afterEach(async () => {
  await fake.close();
});

const connect = async (settings: object = fake.settings, of = org) =>
  expect((await of.put('/integrations/llm', { provider: 'openai-compatible', settings })).status).toBe(200);
const write = async (title: string, content: string, more: object = {}, of = org): Promise<string> => {
  const { status, body } = await of.post('/training', { title, content, ...more });
  expect(status).toBe(201);
  return body.id;
};
const search = async (query: string, more: object = {}, of = org) => {
  const { status, body } = await of.post('/training/search', { query, ...more });
  expect([status, body.message]).toEqual([200, undefined]);
  return body.results;
};
const titles = async (query: string, more: object = {}, of = org): Promise<string[]> =>
  (await search(query, more, of)).map(({ title }: { title: string }) => title);
const embedded = async (count: number, model = 'small', of = org) =>
  eventually(`${count} vectors`, async () => {
    const rows = await stack.db
      .selectFrom('knowledge_embeddings')
      .select('vector')
      .where('org_id', '=', of.id)
      .where('model', '=', model)
      .where('refused_at', 'is', null)
      .execute();
    return rows.length === count && (await findSearchedModel(stack.db, of.id))?.model === model;
  });

const KITTENS = ['Young ones', 'A kitten eats four times a day.'] as const;
const PARCELS = ['Parcels', 'We deliver on Mondays.'] as const;

describe('a model that must be told what a text is', () => {
  it('is told of questions and of knowledge, and its vectors are made anew once that is set', async () => {
    const typed = await startFakeEmbeddings({ wantsType: true });
    await connect(typed.settings);
    await write(...KITTENS);
    expect(await titles('feline food')).toEqual([]);
    await connect({ ...typed.settings, embedding_input_type: true });
    await embedded(1, 'small (passage)');
    expect(await titles('feline food')).toEqual(['Young ones']);
    expect(typed.types).toEqual(['passage', 'query']);
    await typed.close();

    await connect();
    await embedded(1);
    expect(await titles('feline food')).toEqual(['Young ones']);
    expect(new Set(fake.types)).toEqual(new Set([undefined]));
  });
});

describe('a search with an embedding model', () => {
  it('finds texts of the same meaning in other words, as well as texts with the words', async () => {
    await connect();
    await write(...KITTENS);
    await write(...PARCELS);
    await embedded(2);
    const [best, other] = await search('feline food', { explain: true });
    expect([best.title, best.score]).toEqual(['Young ones', 0.5]);
    expect(best.score_parts).toEqual({ words: 0, similarity: expect.closeTo(1, 2), lexemes: [] });
    expect(other.score_parts.similarity).toBeLessThan(0.1);
    expect((await titles('Mondays, and a parcel'))[0]).toBe('Parcels');
    expect((await search('kitten'))[0]).toMatchObject({ title: 'Young ones', score: 1 });
  });

  it('embeds the beginning of a text too long for the model, and all other texts fully', async () => {
    await fake.close();
    fake = await startFakeEmbeddings({ longest: 600 });
    await write('Table', `| kitten | b |\n|---|---|\n${'| long | row |\n'.repeat(60)}`);
    await write(...KITTENS);
    await connect();
    await embedded(2);
    expect((await titles('feline')).toSorted()).toEqual(['Table', 'Young ones']);
  });

  it('embeds each chunk once with its headings, and only changed chunks again', async () => {
    await connect();
    const id = await write(...KITTENS);
    await embedded(1);
    await write(...PARCELS);
    await embedded(2);
    await org.patch(`/training/${id}`, { restricted_to_channels: ['web'] });
    await org.patch(`/training/${id}`, { content: 'A kitten sleeps.' });
    await eventually('the new text', () => fake.asked.flat().some((text) => text.includes('sleeps')));
    await embedded(2);
    expect(fake.asked.flat()).toEqual([
      'Young ones\n\nA kitten eats four times a day.',
      'Parcels\n\nWe deliver on Mondays.',
      'Young ones\n\nA kitten sleeps.',
    ]);
  });

  it('embeds earlier texts in batches, and all of them again for another model', async () => {
    const long = Array.from({ length: 100 }, (_, nth) => `## Cat ${nth}\n\n${'A cat sleeps. '.repeat(50)}`).join(
      '\n\n',
    );
    for (let n = 0; n < 10; n++) await write(`Cats ${n}`, long.slice(0, 9_000));
    expect(fake.asked).toEqual([]);
    await connect();
    const { count } = await stack.db
      .selectFrom('knowledge_chunks')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('org_id', '=', org.id)
      .executeTakeFirstOrThrow();
    expect(count).toBeGreaterThan(64);
    await embedded(count);
    await connect({ ...fake.settings, embedding_model: 'small-2' });
    await embedded(count, 'small-2');
    expect(fake.asked.flat()).toHaveLength(2 * count);
  });

  it('resumes embedding when the model is available again', async () => {
    fake.next(503, 429);
    await connect();
    await write(...KITTENS);
    await embedded(1);
  });

  it('shows how many of the passages it has embedded, and how many it left out', async () => {
    const shown = async () => (await org.get('/integrations/llm')).body.embedding;
    fake.failAt((text) => (text.includes('cursed') ? 422 : undefined));
    await write('Cursed', 'A cursed cat.');
    await write(...KITTENS);
    await write(...PARCELS);
    expect(await shown()).toMatchObject({ passages: 3, embedded: 0, left_out: 0 });
    await connect();
    await embedded(2);
    expect(await shown()).toMatchObject({ model: 'small', answering: 'small', passages: 3, embedded: 2, left_out: 1 });
  });

  it.each([500, 422, 'null', 'zeros'] as const)('embeds all texts but one that gets %s', async (fault) => {
    fake.failAt((text) => (text.includes('cursed') ? fault : undefined));
    await write('Cursed', 'A cursed cat.');
    for (let nth = 0; nth < 40; nth++) await write(`Cat ${nth}`, 'A cat sleeps.');
    await write(...PARCELS);
    await connect();
    await embedded(41);
    expect(await titles('delivery of a parcel', { limit: 1 })).toEqual(['Parcels']);
  });

  it('leaves a text out that the model always fails at, and tries it again once its settings are saved', async () => {
    fake.failAt((text) => (text.includes('cursed') ? 500 : undefined));
    await write('Cursed', 'A cursed cat.');
    await write(...PARCELS);
    await connect();
    const left = await eventually('a text left out', () =>
      stack.db
        .selectFrom('knowledge_embeddings')
        .select(['refusal'])
        .where('org_id', '=', org.id)
        .where('refused_at', 'is not', null)
        .executeTakeFirst(),
    );
    expect(left.refusal).toContain('cannot embed that');
    await embedded(1);
    expect(await titles('kitten')).toEqual(['Parcels']);
    expect((await titles('cursed'))[0]).toBe('Cursed');
    fake.failAt(() => undefined);
    await connect();
    await embedded(2);
    expect((await titles('kitten'))[0]).toBe('Cursed');
  });

  it('finds by words alone while the model is unavailable', async () => {
    await connect();
    await write(...KITTENS);
    await write(...PARCELS);
    await embedded(2);
    await fake.close();
    expect(await titles('kitten')).toEqual(['Young ones']);
    expect(await titles('feline')).toEqual([]);
  });

  it('applies filters to similar texts too, and finds nothing deleted or from another org', async () => {
    await connect();
    const id = await write(...KITTENS, { restricted_to_channels: ['web'] });
    await write(...PARCELS);
    await connect(fake.settings, stack.other);
    await write('Theirs', 'A kitten.', {}, stack.other);
    await embedded(2);
    await embedded(1, 'small', stack.other);
    expect(await titles('feline', { channel: 'sms' })).toEqual(['Parcels']);
    expect(await titles('feline', { channel: 'web', limit: 1 })).toEqual(['Young ones']);
    expect(await titles('feline', { visibility: ['public'] })).toEqual([]);
    expect((await titles('feline')).sort()).toEqual(['Parcels', 'Young ones']);
    await org.delete(`/training/${id}`);
    expect(await titles('feline')).toEqual(['Parcels']);
  });
});

describe('the fused score of words and similarity', () => {
  it('weighs both equally, each scaled from 0 to 1 over the results', () => {
    const words = new Map([
      [1, 8],
      [2, 4],
    ]);
    const similarities = new Map([
      [1, 0.2],
      [2, 0.6],
      [3, 0.4],
    ]);
    expect(fuseScores(words, similarities, [1, 2, 3])).toEqual([
      { chunk_id: 2, score: 0.75 },
      { chunk_id: 1, score: 0.5 },
      { chunk_id: 3, score: expect.closeTo(0.25, 9) },
    ]);
    expect(fuseScores(words, new Map(), [1, 2])).toEqual([
      { chunk_id: 1, score: 0.5 },
      { chunk_id: 2, score: 0.25 },
    ]);
    expect(fuseScores(new Map(), new Map([[7, 0.3]]), [7, 7])).toEqual([{ chunk_id: 7, score: 0.5 }]);
  });

  it('lies between 0 and 1, and ranks each chunk once', () => {
    const scores = fc.dictionary(
      fc.integer({ min: 1, max: 20 }).map(String),
      fc.double({ min: -1, max: 1, noNaN: true }),
    );
    const mapOf = (all: Record<string, number>) =>
      new Map(Object.entries(all).map(([id, score]) => [Number(id), score]));
    fc.assert(
      fc.property(scores, scores, (words, similarities) => {
        const positive = new Map([...mapOf(words)].map(([id, score]) => [id, Math.abs(score)]));
        const alike = mapOf(similarities);
        const fused = fuseScores(positive, alike, [...positive.keys(), ...alike.keys()]);
        expect(fused.map(({ chunk_id }) => chunk_id).toSorted((a, b) => a - b)).toEqual(
          [...new Set([...positive.keys(), ...alike.keys()])].toSorted((a, b) => a - b),
        );
        for (const [nth, { score }] of fused.entries()) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
          expect(score).toBeLessThanOrEqual(fused[nth - 1]?.score ?? 1);
        }
      }),
    );
  });
});
