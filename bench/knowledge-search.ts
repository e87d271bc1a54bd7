import { performance } from 'node:perf_hooks';
import { sql } from 'kysely';
import type { Db } from '../src/db/connect.ts';
import { inTransaction } from '../src/db/transaction.ts';
import { newId } from '../src/ids.ts';
import { indexItems, type KnowledgeItem } from '../src/knowledge/index/service.ts';
import { findPassages, WORDS_ONLY } from '../src/knowledge/search/passage-search.service.ts';
import { createRandom, createWriter } from './support/generated-texts.ts';
import { type Finding, median, note, percentile, report, timeFinding } from './support/report.ts';
import { measureQuality } from './support/retrieval-sets.ts';
import { seedOrg } from './support/seed.ts';
import { withStack } from './support/stack.ts';

const CHUNKS = 40_000;
const CHUNKS_AT_FIRST = 1_000;
const ARTICLES = 1_000;
const PAGES_A_BATCH = 25;
const MOST_MEDIAN_MS = 60;
const MOST_P95_MS = 150;
const MOST_INDEXING_MS = 10_000;
/** For one page in an org with forty times the chunks. */
const MOST_GROWTH = 1.5;
const ROUNDS = 60;
/** Fewer rounds, as the baseline is slow. */
const BASELINE_ROUNDS = 8;
/** One page in this many is not public. */
const INTERNAL = 4;

const writer = createWriter(createRandom(7));
const ALL = { limit: 20, explain: false };

const newItem = (markdown = writer.article()): KnowledgeItem => ({
  id: newId(),
  sourceType: 'website',
  source: 'website',
  title: writer.title(),
  markdown,
  url: 'https://shop.example/page',
  visibility: writer.nth(INTERNAL) === 0 ? 'internal' : 'public',
  language: 'en',
  channels: [],
  segments: [],
  isDraft: false,
});

const times = async (count: number, work: () => Promise<unknown>): Promise<number[]> => {
  const all: number[] = [];
  for (let n = 0; n < count; n++) {
    const begun = performance.now();
    await work();
    all.push(performance.now() - begun);
  }
  return all;
};
const add = (db: Db, orgId: string, items: KnowledgeItem[]) =>
  inTransaction(db, (trx) => indexItems(trx, orgId, items));

async function addArticles(db: Db, orgId: string, count: number): Promise<void> {
  for (let left = count; left > 0; left -= PAGES_A_BATCH)
    await add(
      db,
      orgId,
      Array.from({ length: Math.min(left, PAGES_A_BATCH) }, () => newItem()),
    );
}

const countChunks = async (db: Db, orgId: string): Promise<number> =>
  (
    await db
      .selectFrom('knowledge_chunks')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('org_id', '=', orgId)
      .executeTakeFirstOrThrow()
  ).count;

/** Prepares Postgres' own full-text search over the same chunks: all terms ORed, ranked by ts_rank. */
async function prepareBaseline(db: Db, orgId: string): Promise<(query: string) => Promise<unknown>> {
  await sql`
    create table bench_texts as select id, to_tsvector('english', content) as words from knowledge_chunks where org_id = ${orgId}
  `.execute(db);
  await sql`create index on bench_texts using gin (words)`.execute(db);
  await sql`vacuum analyze`.execute(db);
  return (query) =>
    sql`
      with asked as (select replace(plainto_tsquery('english', ${query})::text, '&', '|')::tsquery as words)
      select id from bench_texts, asked where bench_texts.words @@ asked.words
      order by ts_rank(bench_texts.words, asked.words) desc limit 20
    `.execute(db);
}

async function measureSearches(db: Db, orgId: string): Promise<Finding[]> {
  const baseline = await prepareBaseline(db, orgId);
  const kinds: Record<string, () => string> = {
    'three words': () => writer.keywords(3),
    'a question': () => writer.question(10),
    '500 characters': () => writer.question(90).slice(0, 500),
    'with a typing error': () => `${writer.keywords(2)} ${writer.keywords(1)}xq`,
  };
  const ours: number[] = [];
  const theirs: number[] = [];
  const filtered: number[] = [];
  for (const [kind, write] of Object.entries(kinds)) {
    const queries = Array.from({ length: ROUNDS }, write);
    const timesOf = async (asked: string[], find: (query: string) => Promise<unknown>) => {
      const left = [...asked];
      return times(asked.length, () => find(left.pop() as string));
    };
    const all = await timesOf(queries, (query) => findPassages(db, WORDS_ONLY, orgId, { ...ALL, query }));
    const some = await timesOf(queries, (query) =>
      findPassages(db, WORDS_ONLY, orgId, { ...ALL, query, visibility: ['public'], channel: 'web', segments: [] }),
    );
    const plain = await timesOf(queries.slice(0, BASELINE_ROUNDS), baseline);
    note(
      `${kind}: median ${median(all).toFixed(1)} ms, p95 ${percentile(all, 95).toFixed(1)} ms; with filters ${median(some).toFixed(1)} and ${percentile(some, 95).toFixed(1)} ms`,
    );
    ours.push(...all);
    filtered.push(...some);
    theirs.push(...plain);
  }
  return [
    timeLimitFinding('search of 40,000 chunks, median', median(ours), median(theirs), MOST_MEDIAN_MS),
    timeLimitFinding('search of 40,000 chunks, p95', percentile(ours, 95), percentile(theirs, 95), MOST_P95_MS),
    timeLimitFinding('the same with filters, median', median(filtered), median(theirs), MOST_MEDIAN_MS),
    timeLimitFinding('the same with filters, p95', percentile(filtered, 95), percentile(theirs, 95), MOST_P95_MS),
  ];
}

const timeLimitFinding = (name: string, subjectMs: number, baselineMs: number, mostMs: number): Finding => ({
  ...timeFinding(name, subjectMs, baselineMs, 1),
  target: `< ${mostMs} ms`,
  isMet: subjectMs < mostMs,
});

await report(() =>
  withStack({ hasTemporal: false }, async ({ db }) => {
    const orgId = await seedOrg(db, 0);
    const addOne = () => add(db, orgId, [newItem()]);

    await addArticles(db, orgId, CHUNKS_AT_FIRST / 5);
    await sql`vacuum analyze`.execute(db);
    const few = await countChunks(db, orgId);
    await times(5, addOne);
    const costAtFirst = median(await times(ROUNDS, addOne));
    note(`one more page at ${few} chunks: ${costAtFirst.toFixed(1)} ms`);

    const [indexingMs = 0] = await times(1, () => addArticles(db, orgId, ARTICLES));
    note(`${ARTICLES} articles indexed in ${(indexingMs / 1000).toFixed(1)} s`);

    while ((await countChunks(db, orgId)) < CHUNKS) await addArticles(db, orgId, 500);
    await sql`vacuum analyze`.execute(db);
    const many = await countChunks(db, orgId);
    await times(5, addOne);
    const costAtLast = median(await times(ROUNDS, addOne));
    note(`one more page at ${many} chunks: ${costAtLast.toFixed(1)} ms`);

    return [
      timeLimitFinding('indexing of 1,000 articles', indexingMs, costAtFirst * ARTICLES, MOST_INDEXING_MS),
      timeFinding('one more page at 40,000 chunks, beside 1,000', costAtLast, costAtFirst, MOST_GROWTH),
      ...(await measureSearches(db, orgId)),
      ...(await measureQuality(db, process.env.BENCH_QUESTION_SETS)),
    ];
  }),
);
