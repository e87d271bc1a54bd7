import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { sql } from 'kysely';
import { connect, type Db } from '../src/db/connect.ts';
import { inTransaction } from '../src/db/transaction.ts';
import { createEmbedder, type Embedder } from '../src/embedder/embedder.ts';
import { loadModel } from '../src/embedder/encoding.ts';
import { fetchModel } from '../src/embedder/fetch-model.ts';
import { DEFAULT_MODELS_FOLDER, MODEL } from '../src/embedder/model-folder.ts';
import { newId } from '../src/ids.ts';
import { createSemanticSearch } from '../src/knowledge/embedding/semantic-search.ts';
import { indexItems } from '../src/knowledge/index/service.ts';
import { findPassages } from '../src/knowledge/search/passage-search.service.ts';
import { createSecrets } from '../src/secrets.ts';
import { createRandom, createWriter } from './support/generated-texts.ts';
import { type Finding, median, memoryFinding, percentile, report, timeFinding } from './support/report.ts';
import { seedOrg } from './support/seed.ts';
import { withStack } from './support/stack.ts';

const ARTICLES = Number(process.env.BENCH_ARTICLES ?? 400);
const ROUNDS = 8;
const TEXTS_PER_ROUND = 12;
const SEARCHES = 60;
const DIMENSIONS = 384;
const MOST_OVER_BARE_MODEL = 1.15;
const MOST_MB = 250;
const MOST_SLOWER = 2;
const MS_PER_TICK = 10;
const KB_PER_MB = 1024;

const writer = createWriter(createRandom(7));
/** About 130 tokens, and about 12. */
const passage = () => writer.question(80);
const question = () => writer.question(8);
const never = new AbortController().signal;

const childrenOf = (): number[] =>
  execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('embedder/process.ts'))
    .map((line) => Number.parseInt(line, 10));

/** The processor time of this process and of those with the model. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  const ofChildren = childrenOf().map((id) => {
    const [, rest = ''] = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ');
    const fields = rest.split(' ').map(Number);
    return ((fields[11] ?? 0) + (fields[12] ?? 0)) * MS_PER_TICK;
  });
  return (user + system) / 1_000 + ofChildren.reduce((sum, ms) => sum + ms, 0);
}

/** Memory that several processes map counts in parts. */
const memoryMb = (): number =>
  childrenOf()
    .map((id) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, 'utf8'))?.[1]))
    .reduce((sum, kb) => sum + kb / KB_PER_MB, 0);

async function cpuPerText(texts: string[], work: (texts: string[]) => Promise<unknown>): Promise<number> {
  const before = cpuMs();
  await work(texts);
  return (cpuMs() - before) / texts.length;
}

const embedQueries = (embedder: Embedder) => async (texts: string[]) => {
  for (const text of texts) await embedder.embedQuery(text, never);
};

async function measureProcessor(embedder: Embedder): Promise<Finding[]> {
  const files = await fetchModel(DEFAULT_MODELS_FOLDER);
  await embedder.embedPassages([passage()], never);
  await embedder.embedQuery(question(), never);
  const memory = memoryFinding('embedding: memory of both processes', memoryMb(), MOST_MB);
  const { encode } = await loadModel(files);
  const kinds = [
    { kind: 'passage', write: passage, ours: (texts: string[]) => embedder.embedPassages(texts, never) },
    { kind: 'query', write: question, ours: embedQueries(embedder) },
  ] as const;
  const findings: Finding[] = [memory];
  for (const { kind, write, ours } of kinds) {
    const subject: number[] = [];
    const baseline: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const texts = Array.from({ length: TEXTS_PER_ROUND * (kind === 'query' ? 4 : 1) }, write);
      subject.push(await cpuPerText(texts, ours));
      baseline.push(
        await cpuPerText(texts, async () => {
          for (const text of texts) await encode(text, kind);
        }),
      );
    }
    const name = `embedding: processor time of a ${kind}`;
    findings.push(timeFinding(name, median(subject), median(baseline), MOST_OVER_BARE_MODEL));
  }
  return findings;
}

/** Gives an org articles whose passages have vectors of chance: it takes as long to compare them as any others. */
async function seedVectors(db: Db, orgId: string): Promise<void> {
  const articles = Array.from({ length: ARTICLES }, () => ({
    ...{ id: newId(), sourceType: 'website' as const, source: 'website', title: writer.title() },
    ...{ markdown: writer.article(), url: 'https://shop.example/page', visibility: 'public' as const },
    ...{ language: 'en', channels: [], segments: [], isDraft: false },
  }));
  for (const article of articles) await inTransaction(db, (trx) => indexItems(trx, orgId, [article]));
  await sql`
    insert into knowledge_embeddings (org_id, chunk_id, model, vector)
    select ${orgId}::uuid, id, ${MODEL}, decode(repeat(lpad(to_hex(id % 65536), 4, '0') || '0a3d', ${DIMENSIONS}), 'hex')
    from knowledge_chunks where org_id = ${orgId}
  `.execute(db);
  await sql`insert into knowledge_searched_models (org_id, model) values (${orgId}::uuid, ${MODEL})`.execute(db);
}

const measureSearches = (embedder: Embedder): Promise<Finding> =>
  withStack({ hasTemporal: false }, async ({ databaseUrl }) => {
    const { db, close } = connect(databaseUrl, { poolSize: 4 });
    const orgId = await seedOrg(db, 0);
    await seedVectors(db, orgId);
    const refuse = () => Promise.reject(new Error('No provider is asked'));
    const semantics = createSemanticSearch({
      egress: { request: refuse },
      secrets: createSecrets(`bench:${Buffer.alloc(32).toString('base64')}`),
      calls: { observe: (client) => client },
      embedder,
    });
    const p95 = async () => {
      const times: number[] = [];
      for (let n = 0; n < SEARCHES; n++) {
        const begun = performance.now();
        await findPassages(db, semantics, orgId, { limit: 20, explain: false, query: question() });
        times.push(performance.now() - begun);
      }
      return percentile(times, 95);
    };
    await p95();
    const idle = await p95();
    const stopping = new AbortController();
    const texts = Array.from({ length: 10_000 }, passage);
    const embedding = embedder.embedPassages(texts, stopping.signal).catch(() => undefined);
    const busy = await p95();
    stopping.abort();
    await embedding;
    await close();
    return timeFinding('embedding: p95 of a search while passages are embedded', busy, idle, MOST_SLOWER);
  });

await report(async () => {
  const embedder = createEmbedder({ warn: () => undefined });
  const findings = [...(await measureProcessor(embedder)), await measureSearches(embedder)];
  embedder.close();
  return findings;
});
