import { sql } from 'kysely';
import { MODEL } from '../../../src/embedder/model-folder.ts';
import { useInstalledModel } from '../../../src/knowledge/embedding/maintenance.service.ts';
import { findSearchedModel } from '../../../src/knowledge/embedding/searched-models.queries.ts';
import { findEvidence } from '../../../src/knowledge/search/evidence.service.ts';
import { type SemanticSearch, WORDS_ONLY } from '../../../src/knowledge/search/passage-search.service.ts';
import { insightsOf, resolvedSaying } from '../../insights/support.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type FakeEmbeddings, startFakeEmbeddings } from '../../support/fakes/embeddings.ts';
import { modelFiles } from '../../support/model.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const PASSWORD = ['Password', 'Open the account page, choose Security, and enter a new password.'] as const;
const REFUNDS = ['Refunds', 'Refunds arrive within five working days on the card that was charged.'] as const;
const GERMAN = 'Wie ändere ich mein Kennwort?';

let stack: Stack;
let org: TestOrg;
let fake: FakeEmbeddings | undefined;
beforeAll(async () => {
  await modelFiles();
  stack = await startStack({ env: { ...FAKES_ALLOWED, EMBEDDING_MODEL: MODEL } });
});
afterAll(() => stack.close());
beforeEach(async () => {
  org = await stack.createOrg();
});
afterEach(async () => {
  await fake?.close();
  fake = undefined;
});

const write = async ([title, content]: readonly [string, string]) =>
  expect(await org.post('/training', { title, content })).toMatchObject({ status: 201 });
const search = async (query: string) => {
  const { body } = await org.post('/training/search', { query, explain: true });
  return body.results as { title: string; score_parts: { similarity: number | null } }[];
};
const searchedWith = (model: string) =>
  eventually(`questions are compared by ${model}`, async () => {
    const searched = await findSearchedModel(stack.db, org.id);
    return searched?.model === model;
  });
const modelsOfVectors = async () => {
  const rows = await stack.db
    .selectFrom('knowledge_embeddings')
    .select('model')
    .distinct()
    .where('org_id', '=', org.id)
    .execute();
  return rows.map(({ model }) => model);
};

const embeddingsDue = async () => {
  const { rows } = await sql<{ due: number }>`
    select count(*)::int as due from due_work where org_id = ${org.id} and kind = 'embedding'`.execute(stack.db);
  return rows[0]?.due;
};
const embeddingInUse = async () => (await org.get('/integrations/llm')).body;

describe('an org that has connected no embedding model', () => {
  it('gets its knowledge embedded by the model of the product once a worker has it, and then all that is new', async () => {
    await write(PASSWORD);
    expect((await search('account password'))[0]?.score_parts.similarity).toBeNull();
    expect(await embeddingInUse()).toMatchObject({
      kind: 'llm',
      provider: null,
      embedding: { model: MODEL, source: 'built_in', answering: null },
    });
    await useInstalledModel(stack.db, MODEL);
    await searchedWith(MODEL);
    await write(REFUNDS);
    await eventually('the new passage', async () => {
      const [first] = await search('Wann bekomme ich mein Geld zurück?');
      return first?.title === 'Refunds' && first.score_parts.similarity !== null;
    });
    expect(await embeddingInUse()).toMatchObject({ embedding: { answering: MODEL } });
    const [best] = await search(GERMAN);
    expect(best?.title).toBe('Password');
    expect(best?.score_parts.similarity).toBeGreaterThan(0.8);
  });

  it('is searched by the vectors of one model throughout a change, and by no half of the other’s', async () => {
    await useInstalledModel(stack.db, MODEL);
    await write(PASSWORD);
    await write(REFUNDS);
    await searchedWith(MODEL);
    fake = await startFakeEmbeddings();
    fake.failAt((text) => (text.includes('Refunds') ? 500 : undefined));
    await org.put('/integrations/llm', { provider: 'openai-compatible', settings: fake.settings });
    await eventually('the first text', () => (fake?.asked.length ?? 0) > 0);
    expect((await search(GERMAN))[0]?.title).toBe('Password');
    const embedding = { model: 'small', source: 'connected', answering: MODEL };
    expect(await embeddingInUse()).toMatchObject({ provider: 'openai-compatible', embedding });
    fake.failAt(() => undefined);
    await searchedWith('small');
    await eventually('nothing to embed', async () => (await embeddingsDue()) === 0);
    await useInstalledModel(stack.db, MODEL);
    expect(await embeddingsDue()).toBe(0);
    expect(await embeddingInUse()).toMatchObject({ embedding: { model: 'small', answering: 'small' } });
    await eventually('no vectors of the model before', async () => (await modelsOfVectors()).join() === 'small');
    await org.delete('/integrations/llm');
    await searchedWith(MODEL);
    expect((await search(GERMAN))[0]?.title).toBe('Password');
  });

  it('has what its customers say compared by that model too: the same in other words is one insight', async () => {
    await resolvedSaying(stack, org, 'My parcel has not arrived although it was sent two weeks ago');
    await resolvedSaying(stack, org, 'I cannot log in because I forgot my password');
    await resolvedSaying(stack, org, 'The package that was shipped two weeks ago still did not come');
    expect((await insightsOf(org)).map((one) => one.occurrence_count)).toEqual([2, 1]);
    const spaces = await stack.db.selectFrom('insight_spaces').select('space').where('org_id', '=', org.id).execute();
    expect(spaces).toEqual([{ space: `built-in:${MODEL}` }]);
  });
});

describe('a question of a small help center', () => {
  const BROWSERS = [
    'Supported browsers',
    'The app runs in Chrome, Firefox and Safari, on Windows and on a Mac.',
  ] as const;
  const HOURS = ['Opening hours', 'Our shop is open from Monday to Friday, nine to six.'] as const;
  const question = (query: string) => ({ query, visibility: ['public' as const] });

  beforeEach(async () => {
    for (const [title, content] of [PASSWORD, REFUNDS, BROWSERS, HOURS])
      expect(await org.post('/training', { title, content, visibility: 'public' })).toMatchObject({ status: 201 });
    await useInstalledModel(stack.db, MODEL);
    await searchedWith(MODEL);
  });

  it('has an answer where its words have counterparts in a passage, and not where only the subject is the same', async () => {
    const confidenceOf = async (query: string) => {
      const { passages, confidence } = await findEvidence(stack.db, stack.deps.semantics, org.id, question(query));
      expect(passages[0]?.title).toBe('Supported browsers');
      return confidence();
    };
    const [answered, related] = [
      await confidenceOf('does it work with firefox'),
      await confidenceOf('is there an iphone app'),
    ];
    expect(answered).toBeGreaterThan(related + 0.3);
  });

  it('is searched by words if the model fails after the vectors were compared', async () => {
    const { semantics } = stack.deps;
    const failing: SemanticSearch = {
      ...semantics,
      similarities: async (...asked) =>
        Object.assign(await semantics.similarities(...asked), { compare: async () => undefined }),
    };
    const asked = question('When do refunds arrive?');
    const [byWords, found] = [
      await findEvidence(stack.db, WORDS_ONLY, org.id, asked),
      await findEvidence(stack.db, failing, org.id, asked),
    ];
    expect(found.withVectors).toBe(false);
    expect(found.passages).toEqual(byWords.passages);
  });
});
