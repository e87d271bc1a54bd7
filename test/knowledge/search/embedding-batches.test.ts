import { sql } from 'kysely';
import { InputFailed, InputRefused, ProviderError } from '../../../src/errors.ts';
import { retryOldRefusals } from '../../../src/knowledge/embedding/maintenance.service.ts';
import type { KnowledgeModel } from '../../../src/knowledge/embedding/models.ts';
import { embedNextBatch } from '../../../src/knowledge/embedding/service.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';

const MODEL = { embedding_model: 'small', base_url: 'http://127.0.0.1:9/v1', api_key: 'none', model: 'chat' };
const TEXTS = 12;

let api: TestApi;
let org: TestOrg;
let pauses: number[];
beforeAll(async () => {
  api = await startApi({ env: FAKES_ALLOWED });
});
afterAll(() => api.close());
beforeEach(async () => {
  pauses = [];
  org = await api.createOrg();
  await org.put('/integrations/llm', { provider: 'openai-compatible', settings: MODEL });
  for (let nth = 0; nth < TEXTS; nth++)
    await org.post('/training', { title: `Cat ${nth}`, content: `Cat ${nth} sleeps.` });
});

const vectorOf = () => Float32Array.of(1, 0);
const late = () => new InputFailed('did not answer in time', { transient: true });

const modelOf = (embed: (texts: string[]) => Promise<Float32Array[]>): KnowledgeModel => ({
  name: MODEL.embedding_model,
  source: { embedding_model: MODEL.embedding_model, embedding_input_type: false },
  embedQuery: async () => undefined,
  embedPassages: embed,
});

const embedBatch = (attempt: number, embed: (texts: string[]) => Promise<Float32Array[]>, size?: number) =>
  embedNextBatch(
    api.db,
    {
      findModel: async () => modelOf(embed),
      pause: async (ms) => pauses.push(ms),
      signal: new AbortController().signal,
      onSwitch: async () => undefined,
    },
    org.id,
    { after: 0, size, attempt },
  );
const stored = async () => {
  const rows = await api.db
    .selectFrom('knowledge_embeddings')
    .select(['refusal'])
    .where('org_id', '=', org.id)
    .execute();
  return {
    vectors: rows.filter((row) => row.refusal === null).length,
    refusals: rows.flatMap((row) => row.refusal ?? []),
  };
};

it('a provider too slow for a whole batch gets parts of it, and fewer texts at once from then on', async () => {
  const slow = async (texts: string[]) => {
    if (texts.length > 4) throw late();
    return texts.map(vectorOf);
  };
  const { size } = await embedBatch(1, slow);
  expect(await stored()).toEqual({ vectors: TEXTS, refusals: [] });
  expect(size).toBe(16);
  expect(await embedBatch(1, slow, 4)).toEqual({ after: null });
});

it('a provider that stays busy with a batch that was too slow gets fewer texts in each attempt', async () => {
  let isBusy = false;
  const slow = async (texts: string[]) => {
    isBusy ||= texts.length > 2;
    if (isBusy) throw late();
    return texts.map(vectorOf);
  };
  for (let attempt = 1; (await stored()).vectors < TEXTS; attempt++) {
    isBusy = false;
    await embedBatch(attempt, slow).catch((error: unknown) => expect(error).toBeInstanceOf(InputFailed));
    expect(attempt).toBeLessThan(6);
  }
});

it('a text that the provider fails at fails the early attempts, which store the others, and is left out in a late one', async () => {
  const cursed = async (texts: string[]) => {
    if (texts.some((text) => text.includes('Cat 3'))) throw late();
    return texts.map(vectorOf);
  };
  await expect(embedBatch(1, cursed)).rejects.toThrow('did not answer in time');
  expect(await stored()).toEqual({ vectors: TEXTS - 1, refusals: [] });
  await expect(embedBatch(4, cursed)).rejects.toThrow('did not answer in time');
  expect((await embedBatch(5, cursed)).leftOut).toMatchObject([{ reason: 'did not answer in time' }]);
  expect(await stored()).toEqual({ vectors: TEXTS - 1, refusals: ['did not answer in time'] });
  expect(await embedBatch(1, cursed)).toEqual({ after: null });
});

it.each([
  ['fails at all texts', late()],
  ['has reached a limit', new ProviderError('too many requests', { transient: true })],
])('leaves nothing out of what is asked while the provider %s', async (_, failure) => {
  const away = async () => {
    throw failure;
  };
  await expect(embedBatch(9, away)).rejects.toThrow(failure.message);
  expect(await stored()).toEqual({ vectors: 0, refusals: [] });
});

/** A text that the model would embed if it was cut. */
const LONG = `Dog ${'sleeps '.repeat(110)}`;
const isLong = (texts: string[]) => texts.some((text) => text.length > 500);

it('a text that fails twice in a late attempt is tried again whole, and gets its vector', async () => {
  await org.post('/training', { title: 'Dog', content: LONG });
  const asked: number[] = [];
  let failures = 2;
  await embedBatch(5, async (texts) => {
    if (isLong(texts)) asked.push(Math.max(...texts.map((text) => text.length)));
    if (isLong(texts) && failures-- > 0) throw late();
    return texts.map(vectorOf);
  });
  expect(await stored()).toEqual({ vectors: TEXTS + 1, refusals: [] });
  expect(new Set(asked).size).toBe(1);
  expect(pauses).toEqual([1_000, 5_000]);
});

it('a long text that the provider fails at is left out whole after two pauses, and one that it refuses is cut', async () => {
  await org.post('/training', { title: 'Dog', content: LONG });
  const failingAtLong = (problem: Error) => async (texts: string[]) => {
    if (isLong(texts)) throw problem;
    return texts.map(vectorOf);
  };
  await embedBatch(5, failingAtLong(late()));
  expect(await stored()).toEqual({ vectors: TEXTS, refusals: ['did not answer in time'] });
  expect(pauses).toEqual([1_000, 5_000]);
  await api.db.deleteFrom('knowledge_embeddings').where('org_id', '=', org.id).execute();
  await embedBatch(1, failingAtLong(new InputRefused('too long', { transient: false })));
  expect(await stored()).toEqual({ vectors: TEXTS + 1, refusals: [] });
});

it('nothing is left out if the provider goes away between the pauses', async () => {
  const leaving = async (texts: string[]) => {
    if (pauses.length > 0 || texts.some((text) => text.includes('Cat 3'))) throw late();
    return texts.map(vectorOf);
  };
  await expect(embedBatch(5, leaving)).rejects.toThrow('did not answer in time');
  expect((await stored()).refusals).toEqual([]);
});

it('what was left out a day ago is embedded though the knowledge stays as it is', async () => {
  const requests = async () =>
    (await api.db.selectFrom('outbox').selectAll().where('org_id', '=', org.id).execute()).filter((row) =>
      JSON.stringify(row).includes('knowledge-embedding/'),
    ).length;
  let isOver = false;
  const cursed = async (texts: string[]) => {
    if (!isOver && texts.some((text) => text.includes('Cat 3'))) throw late();
    return texts.map(vectorOf);
  };
  await embedBatch(5, cursed);
  const before = await requests();
  while ((await retryOldRefusals(api.db)) > 0);
  expect(await requests()).toBe(before);
  expect((await stored()).refusals).toHaveLength(1);

  isOver = true;
  await sql`update knowledge_embeddings set refused_at = refused_at - interval '1 day' where org_id = ${org.id}`.execute(
    api.db,
  );
  expect(await retryOldRefusals(api.db)).toBe(1);
  expect(await retryOldRefusals(api.db)).toBe(0);
  expect(await requests()).toBeGreaterThan(before);
  await embedBatch(1, cursed);
  expect(await stored()).toEqual({ vectors: TEXTS, refusals: [] });
});
