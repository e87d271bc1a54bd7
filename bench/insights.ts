import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { sql } from 'kysely';
import { connect, type Db } from '../src/db/connect.ts';
import { createEmbedder } from '../src/embedder/embedder.ts';
import { fetchModel } from '../src/embedder/fetch-model.ts';
import { MODEL as BUILT_IN_MODEL, DEFAULT_MODELS_FOLDER } from '../src/embedder/model-folder.ts';
import { InsightQuery } from '../src/insights/search/schema.ts';
import { queryInsights } from '../src/insights/search/service.ts';
import { type StoredVector, storedVectorOf } from '../src/insights/similarity/vectors.rules.ts';
import { spaceOfBuiltIn, spaceOfModel, WORDS } from '../src/insights/similarity/words.rules.ts';
import { ALLOW_ALL, createEgress } from '../src/providers/egress/egress.ts';
import { embedTexts } from '../src/providers/llm/embeddings.ts';
import { agreementOf, clustersOf, wordVectorsOf } from './support/clusters.ts';
import { createRandom } from './support/generated-texts.ts';
import { seedInsights } from './support/insight-seed.ts';
import { type LabeledText, readLabeledTexts } from './support/labeled-texts.ts';
import { type Finding, limitFinding, median, note, report } from './support/report.ts';
import { seedOrg } from './support/seed.ts';
import { withStack } from './support/stack.ts';

const OCCURRENCES = Number(process.env.BENCH_OCCURRENCES ?? 1_000_000);
const MAX_MEDIAN_MS = 100;
const TIMES = 11;
const WARM_UPS = 2;
const MIN_NMI = 0.75;
const MIN_ARI = 0.37;
const SHUFFLES = 5;
const TEXTS_PER_REQUEST = 32;
const MAX_EMBEDDING_MS = 30 * 60_000;
/** banking_data of PolyAI-LDN/task-specific-datasets, with test.csv. */
const BANKING_FOLDER = process.env.BANKING77_FOLDER;
/** data of clinc/oos-eval, with data_full.json. */
const CLINC_FOLDER = process.env.CLINC150_FOLDER;
/** The base URL of an embedding server of OpenAI's protocol. Absent: the model that comes with the product. */
const EMBEDDINGS_URL = process.env.EMBEDDINGS_URL;
const MODEL = process.env.EMBEDDINGS_MODEL ?? 'query';

/** Every filter by itself, and some together. */
async function queriesOf(db: Db, orgId: string): Promise<Record<string, object>> {
  const { rows } = await sql<{ contact_id: string }>`
    select contact_id from sessions where org_id = ${orgId} order by ticket_number limit 1`.execute(db);
  return {
    'no filter': {},
    'the last page': { page: 80 },
    category: { category: 'Delivery' },
    status: { status: 'unresolved' },
    sentiment: { sentiment: 'angry' },
    ticketSentiment: { ticketSentiment: 'angry' },
    'sorted by last_seen_at': { sortBy: 'last_seen_at', sortOrder: 'asc' },
    minSessions: { minSessions: 1_000 },
    search: { search: 'of 42' },
    teamId: { teamId: 'not_assigned' },
    insightNumber: { insightNumber: 1_000 },
    sessionLanguage: { sessionLanguage: 'de' },
    'channel of a tenth': { channel: 'sms' },
    'channel of a third': { channel: 'web' },
    'a month of sessions': { sessionFromDate: '2025-06-01T00:00:00Z', sessionToDate: '2025-07-01T00:00:00Z' },
    'half a year of sessions': { sessionFromDate: '2025-07-01T00:00:00Z' },
    'sessionStatus of a tenth': { sessionStatus: 'open' },
    'sessionStatus of eight tenths': { sessionStatus: 'closed_resolved' },
    sessionContactId: { sessionContactId: rows[0]?.contact_id },
    ticketCustomData: { ticketCustomData: [{ product: 'p7' }] },
    contactCustomData: { contactCustomData: [{ plan: 'p7' }] },
    'a year of sessions': { sessionFromDate: '2025-01-01T00:00:00Z' },
    'sessionStatus and half a year': { sessionStatus: 'closed_resolved', sessionFromDate: '2025-07-01T00:00:00Z' },
    'sessionStatus and language': { sessionStatus: 'closed_resolved', sessionLanguage: 'en' },
    'four conditions on sessions': {
      ...{ sessionStatus: 'closed_resolved', sessionLanguage: 'en', channel: 'web', ticketSentiment: 'angry' },
    },
    'ticketCustomData and channel': { ticketCustomData: [{ product: 'p6' }, { product: 'p7' }], channel: 'api' },
    updated_after: { updated_after: '2025-06-01T00:00:00Z' },
    'channel, language and month': {
      ...{ channel: 'email', sessionLanguage: 'en', minSessions: 5 },
      ...{ sessionFromDate: '2025-06-01T00:00:00Z', sessionToDate: '2025-07-01T00:00:00Z' },
    },
  };
}

const measureFilters = (): Promise<Finding[]> =>
  withStack({ hasTemporal: false }, async ({ databaseUrl }) => {
    const { db, close } = connect(databaseUrl, { poolSize: 2 });
    const orgId = await seedOrg(db, 0);
    const begun = performance.now();
    await seedInsights(db, orgId, OCCURRENCES);
    note(`${OCCURRENCES} occurrences, seeded in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
    const findings: Finding[] = [];
    for (const [name, body] of Object.entries(await queriesOf(db, orgId))) {
      const query = InsightQuery.parse(body);
      const times: number[] = [];
      for (let round = -WARM_UPS; round < TIMES; round++) {
        const start = performance.now();
        await queryInsights(db, orgId, query);
        if (round >= 0) times.push(performance.now() - start);
      }
      const ms = median(times);
      const { total } = await queryInsights(db, orgId, query);
      findings.push(
        insightsFinding(`${name} (${total})`, `${ms.toFixed(1)} ms`, `< ${MAX_MEDIAN_MS} ms`, ms < MAX_MEDIAN_MS),
      );
    }
    await close();
    return findings;
  });

const insightsFinding = (name: string, subject: string, target: string, isMet: boolean): Finding =>
  limitFinding(`insights: ${name}`, { subject, target, isMet });

/** The vectors of the model that comes with the product. */
async function builtInVectorsOf(texts: string[]): Promise<StoredVector[]> {
  await fetchModel(DEFAULT_MODELS_FOLDER);
  const embedder = createEmbedder({ warn: () => undefined });
  const vectors = await embedder.embedAlike(texts, AbortSignal.timeout(MAX_EMBEDDING_MS));
  embedder.close();
  return vectors.map(storedVectorOf);
}

async function vectorsOf(texts: string[]): Promise<StoredVector[]> {
  if (EMBEDDINGS_URL === undefined) return builtInVectorsOf(texts);
  const egress = createEgress({ allow: ALLOW_ALL });
  const settings = { base_url: EMBEDDINGS_URL, api_key: 'none', embedding_model: MODEL };
  const vectors: StoredVector[] = [];
  for (let at = 0; at < texts.length; at += TEXTS_PER_REQUEST) {
    const part = await embedTexts(egress, settings, texts.slice(at, at + TEXTS_PER_REQUEST), {
      inputType: 'query',
      timeoutMs: 60_000,
    });
    vectors.push(...part.map(storedVectorOf));
  }
  await egress.close();
  return vectors;
}

interface TextSet {
  name: string;
  texts: LabeledText[];
  /** The least agreement, where it was promised. */
  least?: { nmi: number; ari: number };
}

async function measureSet({ name, texts, least }: TextSet): Promise<Finding[]> {
  const labels = texts.map(({ label }) => label);
  const measure = (vectors: StoredVector[], space: string, of: string[]) => {
    const clusters = clustersOf(vectors, space);
    const { nmi, ari } = agreementOf(clusters, of);
    return { nmi, ari, text: `NMI ${nmi.toFixed(3)}, ARI ${ari.toFixed(3)}, ${new Set(clusters).size} clusters` };
  };
  note(`${name}, by words: ${measure(wordVectorsOf(texts.map(({ text }) => text)), WORDS, labels).text}`);
  const space = EMBEDDINGS_URL === undefined ? spaceOfBuiltIn(BUILT_IN_MODEL) : spaceOfModel(MODEL);
  const vectors = await vectorsOf(texts.map(({ text }) => text));
  const { nmi, ari, text } = measure(vectors, space, labels);
  note(`${name}, by vectors in the file's order: ${text}`);
  const random = createRandom(7);
  for (let round = 1; round <= SHUFFLES; round++) {
    const order = labels.map((_, nth) => ({ nth, at: random() })).sort((a, b) => a.at - b.at);
    const shuffled = order.map(({ nth }) => vectors[nth]).filter((vector) => vector !== undefined);
    note(
      `${name}, shuffle ${round}: ${
        measure(
          shuffled,
          space,
          order.map(({ nth }) => labels[nth] ?? ''),
        ).text
      }`,
    );
  }
  if (least === undefined) return [];
  return [
    insightsFinding(`${name}, NMI`, nmi.toFixed(3), `≥ ${least.nmi}`, nmi >= least.nmi),
    insightsFinding(`${name}, ARI`, ari.toFixed(3), `≥ ${least.ari}`, ari >= least.ari),
  ];
}

const readClinc = (folder: string): LabeledText[] =>
  (JSON.parse(readFileSync(join(folder, 'data_full.json'), 'utf8')) as { test: [string, string][] }).test.map(
    ([text, label]) => ({ text, label }),
  );

await report(async () => {
  const findings: Finding[] = [];
  if (BANKING_FOLDER === undefined)
    note('Banking77 was not measured: BANKING77_FOLDER is not set to a folder with its test.csv');
  else {
    const texts = readLabeledTexts(join(BANKING_FOLDER, 'test.csv'));
    findings.push(...(await measureSet({ name: 'Banking77', texts, least: { nmi: MIN_NMI, ari: MIN_ARI } })));
  }
  if (CLINC_FOLDER === undefined)
    note('CLINC150 was not measured: CLINC150_FOLDER is not set to a folder with its data_full.json');
  else findings.push(...(await measureSet({ name: 'CLINC150', texts: readClinc(CLINC_FOLDER) })));
  if (OCCURRENCES > 0) findings.push(...(await measureFilters()));
  return findings;
});
