import { type Clock, install } from '@sinonjs/fake-timers';
import { sql } from 'kysely';
import type { Db } from '../../../src/db/connect.ts';
import { migrateToLatest } from '../../../src/db/migrate.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { NO_EMBEDDER } from '../../../src/embedder/embedder.ts';
import { upsertSearchedModel } from '../../../src/knowledge/embedding/searched-models.queries.ts';
import { createSemanticSearch } from '../../../src/knowledge/embedding/semantic-search.ts';
import { createVectorCache } from '../../../src/knowledge/embedding/vector-cache.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type FakeEmbeddings, startFakeEmbeddings } from '../../support/fakes/embeddings.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { untilPasses } from '../../support/stack/stack.ts';

const MODEL = 'small';
const DIMENSIONS = 4;
const BYTES = 2 * DIMENSIONS;
const ASKED = Float32Array.of(1, 0, 0, 0);
const CACHED_MS = 11 * 60_000;

let api: TestApi;
let fake: FakeEmbeddings;
let org: TestOrg;
let clock: Clock | undefined;
beforeAll(async () => {
  api = await startApi({ env: FAKES_ALLOWED });
  fake = await startFakeEmbeddings();
});
afterAll(async () => {
  await api.close();
  await fake.close();
});
beforeEach(async () => {
  org = await api.createOrg();
});
afterEach(() => clock?.uninstall());

/** Adds passages whose vectors have these cosines with ASKED. Returns the ids of their items. */
async function addVectors(...cosines: number[]): Promise<string[]> {
  const items: string[] = [];
  for (const cosine of cosines) {
    const { body } = await org.post('/training', { title: `Text ${cosine}`, content: `It says ${cosine}.` });
    items.push(body.id);
    const vector = Float32Array.of(cosine, Math.sqrt(1 - cosine ** 2), 0, 0);
    await sql`
      insert into knowledge_embeddings (org_id, chunk_id, model, vector)
      select org_id, unnest(chunk_ids), ${MODEL}, ${Buffer.from(vector.buffer)} from knowledge_items
      where org_id = ${org.id} and id = (select id from knowledge_items where org_id = ${org.id} order by chunk_ids desc limit 1)
    `.execute(api.db);
  }
  return items;
}

/** A database that counts the vectors read from it. */
function countingDb(): { db: Db; reads: () => number } {
  let reads = 0;
  const db = api.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      reads += result.rows.filter((row) => row.vector !== undefined).length;
      return result;
    },
  });
  return { db, reads: () => reads };
}

const cacheOf = (vectors: number) => createVectorCache({ maxBytes: 1_000_000, maxOrgBytes: vectors * BYTES });
const similarities = async (cache: ReturnType<typeof cacheOf>, db: Db = api.db) => {
  const found = await (await cache.read(db, org.id, MODEL)).similarities(ASKED);
  return [...found.values()].map((cosine) => Math.round(cosine * 1_000) / 1_000).toSorted((a, b) => a - b);
};

describe('the vectors of an org', () => {
  it('are read once though a dump with them was restored on another server', async () => {
    await addVectors(0.1, 0.2);
    await sql`update knowledge_embeddings set xid = (xid::text::bigint + 1000000000)::text::xid8`.execute(api.db);
    await migrateToLatest(api.databaseUrl);
    const cache = cacheOf(100);
    const { db, reads } = countingDb();
    for (let nth = 0; nth < 3; nth++) expect(await similarities(cache, db)).toEqual([0.1, 0.2]);
    expect(reads()).toBe(2);
  });

  it('are read once for searches at the same time', async () => {
    await org.put('/integrations/llm', { provider: 'openai-compatible', settings: fake.settings });
    await addVectors(0.1, 0.2, 0.3);
    const { base_url, embedding_model } = fake.settings;
    await inTransaction(api.db, (trx) =>
      upsertSearchedModel(trx, org.id, {
        model: MODEL,
        source: { base_url, embedding_model, embedding_input_type: false },
      }),
    );
    const { egress, secrets, calls } = api.deps;
    // Again while a transaction of another test is open, since which vectors are read again.
    await untilPasses(async () => {
      const { db, reads } = countingDb();
      const semantics = createSemanticSearch({ egress, secrets, calls, embedder: NO_EMBEDDER });
      const found = await Promise.all(Array.from({ length: 8 }, () => semantics.similarities(db, org.id, 'a cat')));
      expect(found.map(({ size }) => size)).toEqual(Array(8).fill(3));
      expect(reads()).toBe(3);
    });
  });

  it('are those of now, without those of deleted chunks after a while, and without reading all again', async () => {
    const cache = cacheOf(100);
    const [first = ''] = await addVectors(0.1, 0.2);
    expect(await similarities(cache)).toEqual([0.1, 0.2]);
    await addVectors(0.3);
    expect(await similarities(cache)).toEqual([0.1, 0.2, 0.3]);
    await org.delete(`/training/${first}`);
    clock = install({ toFake: ['Date'], now: Date.now() + CACHED_MS });
    expect(await similarities(cache)).toEqual([0.2, 0.3]);
    clock.uninstall();
    await untilPasses(async () => {
      const { db, reads } = countingDb();
      expect(await similarities(cache, db)).toEqual([0.2, 0.3]);
      expect(reads()).toBe(0);
    });
  });

  it.each([0, 1, 2, 3])('are all compared where there is memory for %d of 4', async (memory) => {
    const cache = cacheOf(memory);
    const [first = ''] = await addVectors(0.1, 0.2, 0.3);
    expect(await similarities(cache)).toEqual([0.1, 0.2, 0.3]);
    await addVectors(0.4);
    expect(await similarities(cache)).toEqual([0.1, 0.2, 0.3, 0.4]);
    await sql`
      update knowledge_embeddings set vector = ${Buffer.from(Float32Array.of(0.5, 0.866, 0, 0).buffer)}, xid = default
      where org_id = ${org.id} and chunk_id = (select min(chunk_id) from knowledge_embeddings where org_id = ${org.id})
    `.execute(api.db);
    expect(await similarities(cache)).toEqual([0.2, 0.3, 0.4, 0.5]);
    await org.delete(`/training/${first}`);
    clock = install({ toFake: ['Date'], now: Date.now() + CACHED_MS });
    expect(await similarities(cache)).toEqual([0.2, 0.3, 0.4]);
  });

  it('are read in batches', async () => {
    await addVectors(0.1);
    const [{ chunk_id }] = (await api.db
      .selectFrom('knowledge_embeddings')
      .select('chunk_id')
      .where('org_id', '=', org.id)
      .execute()) as [{ chunk_id: number }];
    await sql`alter table knowledge_embeddings drop constraint knowledge_embeddings_org_id_chunk_id_fkey`.execute(
      api.db,
    );
    await sql`
      insert into knowledge_embeddings (org_id, chunk_id, model, vector)
      select org_id, chunk_id + nth, model, vector from knowledge_embeddings, generate_series(1, 2499) as nth
      where org_id = ${org.id} and chunk_id = ${chunk_id}
    `.execute(api.db);
    for (const memory of [10_000, 1_500]) {
      const cache = cacheOf(memory);
      expect(await similarities(cache)).toHaveLength(2_500);
      expect(await similarities(cache)).toHaveLength(2_500);
    }
  });
});
