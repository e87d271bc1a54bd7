import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from '../../src/db/connect.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import { indexItems, type KnowledgeItem } from '../../src/knowledge/index/service.ts';
import { findPassages, WORDS_ONLY } from '../../src/knowledge/search/passage-search.service.ts';
import { type Finding, limitFinding, note } from './report.ts';
import { seedOrg } from './seed.ts';

const DEPTH = 10;
const ITEMS_PER_BATCH = 100;
/** The result of ORed terms and ts_rank on short questions. Any useful ranking has to be better. */
const MIN_NDCG = 0.5;
/** Sets with a known result of a good ranking by words. */
const MIN_NDCG_BY_SET: Record<string, number> = { stackfaq: 0.76 };

interface QuestionSet {
  documents: { _id: string; title?: string; text: string }[];
  queries: { _id: string; text: string }[];
  /** By query: the relevance of each document. */
  relevant: Map<string, Map<string, number>>;
}

/** Measures nDCG@10 over each set in the folder, in the layout of BEIR: corpus.jsonl, queries.jsonl, qrels/test.tsv. */
export async function measureQuality(db: Db, folder: string | undefined): Promise<Finding[]> {
  if (folder === undefined) {
    note('search quality was not measured: BENCH_QUESTION_SETS is not set to a folder of question sets');
    return [];
  }
  const findings: Finding[] = [];
  for (const name of readdirSync(folder)
    .filter((set) => existsSync(join(folder, set, 'corpus.jsonl')))
    .sort()) {
    const least = MIN_NDCG_BY_SET[name] ?? MIN_NDCG;
    const quality = await ndcgOf(db, readSet(join(folder, name)));
    findings.push(
      limitFinding(`nDCG@${DEPTH} of ${name}`, {
        subject: quality.toFixed(3),
        target: `≥ ${least}`,
        isMet: quality >= least,
      }),
    );
  }
  return findings;
}

function readSet(folder: string): QuestionSet {
  const lines = (file: string) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  const relevant: QuestionSet['relevant'] = new Map();
  for (const line of lines('qrels/test.tsv').slice(1)) {
    const [query = '', document = '', score = ''] = line.split('\t');
    if (Number(score) > 0) relevant.set(query, (relevant.get(query) ?? new Map()).set(document, Number(score)));
  }
  return {
    documents: lines('corpus.jsonl').map((line) => JSON.parse(line)),
    queries: lines('queries.jsonl').map((line) => JSON.parse(line)),
    relevant,
  };
}

async function ndcgOf(db: Db, { documents, queries, relevant }: QuestionSet): Promise<number> {
  const orgId = await seedOrg(db, 0);
  const names = new Map<string, string>();
  const items = documents.map(({ _id, title = '', text }): KnowledgeItem => {
    const id = newId();
    names.set(id, _id);
    return {
      id,
      sourceType: 'help_center',
      source: 'help_center',
      title,
      markdown: text,
      url: null,
      visibility: 'public',
      language: null,
      channels: [],
      segments: [],
      isDraft: false,
    };
  });
  for (let from = 0; from < items.length; from += ITEMS_PER_BATCH)
    await inTransaction(db, (trx) => indexItems(trx, orgId, items.slice(from, from + ITEMS_PER_BATCH)));

  const asked = queries.filter(({ _id, text }) => relevant.has(_id) && text.length >= 2);
  let sum = 0;
  for (const { _id, text } of asked) {
    const query = text.slice(0, 500);
    const results = await findPassages(db, WORDS_ONLY, orgId, { query, limit: 50, explain: false });
    const ranked = [...new Set(results.map(({ id }) => names.get(id) ?? ''))];
    const gains = relevant.get(_id) ?? new Map<string, number>();
    sum += discounted(ranked.map((id) => gains.get(id) ?? 0)) / discounted([...gains.values()].sort((a, b) => b - a));
  }
  return sum / asked.length;
}

const discounted = (gains: number[]): number =>
  gains.slice(0, DEPTH).reduce((sum, gain, rank) => sum + (2 ** gain - 1) / Math.log2(rank + 2), 0);
