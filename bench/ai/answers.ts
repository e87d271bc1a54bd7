import { setTimeout as sleep } from 'node:timers/promises';
import { type AskedQuestion, calibrate, defaultThresholdOf } from '../../src/ai/calibration/rules.ts';
import { calibrateAnswers, getThresholds } from '../../src/ai/calibration/service.ts';
import type { Db } from '../../src/db/connect.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { createEmbedder } from '../../src/embedder/embedder.ts';
import { findKnowledgeModel, type KnowledgeModelDeps } from '../../src/knowledge/embedding/models.ts';
import { createSemanticSearch } from '../../src/knowledge/embedding/semantic-search.ts';
import { embedNextBatch } from '../../src/knowledge/embedding/service.ts';
import { indexItems } from '../../src/knowledge/index/service.ts';
import { findEvidence } from '../../src/knowledge/search/evidence.service.ts';
import { type SemanticSearch, WORDS_ONLY } from '../../src/knowledge/search/passage-search.service.ts';
import { createCallbackUrls } from '../../src/orgs/integrations/callback-urls.ts';
import { putIntegration } from '../../src/orgs/integrations/service.ts';
import { ALLOW_ALL, createEgress, type HttpClient } from '../../src/providers/egress/egress.ts';
import { createSecrets, type Secrets } from '../../src/secrets.ts';
import { createRandom } from '../support/generated-texts.ts';
import {
  type AnswerSet,
  readAwsDocs,
  readCookbook,
  readCovidQa,
  readExcerpts,
  readStackFaq,
  readXquad,
} from '../support/question-answer-sets.ts';
import { type Finding, limitFinding, note, report } from '../support/report.ts';
import { seedOrg } from '../support/seed.ts';
import { withStack } from '../support/stack.ts';

const MAX_WRONG = 0.05;
const MIN_RIGHT = 0.95;
/** By words, and by words and vectors. */
const MIN_ANSWERED = { words: 0.35, vectors: 0.45 };
/** The calibration with labels learns from one half of the questions and is measured on the other, this often. */
const SPLITS = 200;

/** A public data set in a folder that an environment variable names. */
interface PublicSet {
  name: string;
  variable: string;
  /** What the folder has. */
  content: string;
  read(folder: string): AnswerSet;
  minReciprocalRank?: number;
}

const SETS: PublicSet[] = [
  /** data/StackFAQ of ML-Recipes/BERT-FAQ. */
  { name: 'StackFAQ', variable: 'STACKFAQ_FOLDER', content: 'its stackExchange-FAQ.json', read: readStackFaq },
  /** skills/retrieval_augmented_generation of anthropics/claude-cookbooks. */
  {
    name: 'cookbook',
    variable: 'COOKBOOK_FOLDER',
    content: 'its data/ and evaluation/',
    read: readCookbook,
    minReciprocalRank: 0.85,
  },
  /** data of deepset-ai/COVID-QA. */
  { name: 'COVID-QA', variable: 'COVID_QA_FOLDER', content: 'its faqs/ and question pairs', read: readCovidQa },
  /** xquad.en.json of google-deepmind/xquad. */
  { name: 'XQuAD', variable: 'XQUAD_FOLDER', content: 'its xquad.en.json', read: readXquad },
  /** siagholami/aws-documentation. Nothing was chosen on this set. */
  { name: 'AWS guides', variable: 'AWS_DOCS_FOLDER', content: 'its QA_true.csv and documents/', read: readAwsDocs },
  /**
   * chunking_evaluation/evaluation_framework/general_evaluation_data of brandonstarxel/chunking_evaluation. Only the
   * default threshold was chosen on it.
   */
  { name: 'excerpts', variable: 'EXCERPTS_FOLDER', content: 'its corpora/ and questions_df.csv', read: readExcerpts },
];

/** The base URL of an embedding server of OpenAI's protocol that is told what a text is. */
const EMBEDDINGS_URL = process.env.EMBEDDINGS_URL;
const EMBEDDINGS_MODEL = process.env.EMBEDDINGS_MODEL ?? 'embedding';
const SECRET_KEYS = `bench:${Buffer.alloc(32, 1).toString('base64')}`;

interface RankedQuestion extends AskedQuestion {
  /** One divided by the rank of the first right item. */
  reciprocalRank: number;
}

async function ask(
  db: Db,
  semantics: SemanticSearch,
  orgId: string,
  { questions }: AnswerSet,
): Promise<RankedQuestion[]> {
  const asked: RankedQuestion[] = [];
  for (const { text, right } of questions) {
    const search = { query: text, visibility: ['public' as const] };
    const { passages, confidence } = await findEvidence(db, semantics, orgId, search);
    const rank = [...new Set(passages.map(({ id }) => id))].findIndex((id) => right.includes(id));
    asked.push({
      hidden: confidence(right),
      shown: confidence(),
      isRight: rank === 0,
      reciprocalRank: rank === -1 ? 0 : 1 / (rank + 1),
    });
  }
  return asked;
}

interface Quality {
  /** The share of questions that get an answer. */
  answered: number;
  /** Of those: the share by the right item. */
  right: number;
  /** The share of questions that get an answer while their items are hidden. */
  wrong: number;
}

function qualityAt(threshold: number, asked: AskedQuestion[]): Quality {
  const answered = asked.filter(({ shown }) => shown >= threshold);
  return {
    answered: answered.length / asked.length,
    right: answered.filter(({ isRight }) => isRight).length / Math.max(1, answered.length),
    wrong: asked.filter(({ hidden }) => hidden >= threshold).length / asked.length,
  };
}

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Calibrates by one half of the questions, whose right items are known, and measures the other half. */
function qualityWithLabels(asked: AskedQuestion[]): Quality {
  const random = createRandom(5);
  const measured = Array.from({ length: SPLITS }, () => {
    const shuffled = asked
      .map((question) => ({ question, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ question }) => question);
    const half = Math.floor(shuffled.length / 2);
    return qualityAt(calibrate(shuffled.slice(0, half), MAX_WRONG).threshold, shuffled.slice(half));
  });
  return {
    answered: mean(measured.map(({ answered }) => answered)),
    right: mean(measured.map(({ right }) => right)),
    wrong: mean(measured.map(({ wrong }) => wrong)),
  };
}

const finding = (name: string, value: number, target: string, isMet: boolean): Finding =>
  limitFinding(`answers: ${name}`, { subject: value.toFixed(3), target, isMet });
const atLeast = (name: string, value: number, least: number) => finding(name, value, `≥ ${least}`, value >= least);
const atMost = (name: string, value: number, most: number) => finding(name, value, `≤ ${most}`, value <= most);

interface Measured {
  findings: Finding[];
  meanRank: number;
}

async function measure(db: Db, name: string, set: AnswerSet): Promise<Measured> {
  const orgId = await seedOrg(db, 0);
  await inTransaction(db, (trx) => indexItems(trx, orgId, set.items));
  const { asked, ...measured } = await measureSearch(db, WORDS_ONLY, orgId, {
    name,
    set,
    minAnswered: MIN_ANSWERED.words,
  });
  const byWords = { ...measured, findings: [...measured.findings, measureUncalibrated(name, set, asked)] };
  const egress = createEgress({ allow: ALLOW_ALL });
  const embedder = createEmbedder({ warn: () => undefined });
  const calls = { observe: (requests: HttpClient) => requests };
  const semantics = await embedAll(db, orgId, { egress, calls, embedder, secrets: createSecrets(SECRET_KEYS) });
  const vectors = { name: `${name} with vectors`, set, minAnswered: MIN_ANSWERED.vectors };
  const { findings } = await measureSearch(db, semantics, orgId, vectors);
  embedder.close();
  await egress.close();
  return { ...byWords, findings: [...byWords.findings, ...findings] };
}

/**
 * Embeds all that an org knows, by the model at EMBEDDINGS_URL, or else by the one that comes with the product. Returns
 * the search that uses it.
 */
async function embedAll(db: Db, orgId: string, deps: KnowledgeModelDeps): Promise<SemanticSearch> {
  if (EMBEDDINGS_URL !== undefined) await connectModel(db, orgId, deps.secrets);
  const { signal } = new AbortController();
  const batching = {
    findModel: (...org: [Db, string]) => findKnowledgeModel(...org, deps),
    pause: sleep,
    signal,
    onSwitch: async () => undefined,
  };
  for (let after: number | null = 0; after !== null; )
    ({ after } = await embedNextBatch(db, batching, orgId, { after, attempt: 1 }));
  return createSemanticSearch(deps);
}

async function connectModel(db: Db, orgId: string, secrets: Secrets): Promise<void> {
  const connection = {
    base_url: EMBEDDINGS_URL,
    api_key: 'none',
    model: 'none',
    embedding_model: EMBEDDINGS_MODEL,
    embedding_input_type: true,
  };
  const deps = { secrets, publicUrl: '', callbacks: createCallbackUrls([''], '') };
  await putIntegration(db, deps, orgId, { kind: 'llm', provider: 'openai-compatible', settings: connection });
}

async function measureSearch(
  db: Db,
  semantics: SemanticSearch,
  orgId: string,
  { name, set, minAnswered }: { name: string; set: AnswerSet; minAnswered: number },
): Promise<Measured & { asked: AskedQuestion[] }> {
  const asked = await ask(db, semantics, orgId, set);
  const labeled = qualityWithLabels(asked);
  await calibrateAnswers(db, semantics, orgId, { signal: new AbortController().signal, attempt: 1 });
  const { words, vectors } = await getThresholds(db, orgId);
  const own = qualityAt(vectors ?? words, asked);
  const meanRank = mean(asked.map(({ reciprocalRank }) => reciprocalRank));
  note(`${name}: ${set.items.length} items, ${asked.length} questions, MRR ${meanRank.toFixed(3)}`);
  note(`${name}, self-calibrated: answered ${own.answered.toFixed(3)}, right among them ${own.right.toFixed(3)}`);
  return {
    asked,
    meanRank,
    findings: [
      atLeast(`${name}, right item among those answered`, labeled.right, MIN_RIGHT),
      atMost(`${name}, answered though the article is hidden`, labeled.wrong, MAX_WRONG),
      atLeast(`${name}, questions answered`, labeled.answered, minAnswered),
      atMost(`${name}, self-calibrated, answered though hidden`, own.wrong, MAX_WRONG),
    ],
  };
}

/** Measures an org that is not calibrated. With a model too, its answers are then searched by words. */
function measureUncalibrated(name: string, { items }: AnswerSet, asked: AskedQuestion[]): Finding {
  const { answered, right, wrong } = qualityAt(defaultThresholdOf(items.length), asked);
  note(`${name}, not calibrated: answered ${answered.toFixed(3)}, right among them ${right.toFixed(3)}`);
  return atMost(`${name}, not calibrated, answered though hidden`, wrong, MAX_WRONG);
}

async function measureIfGiven(db: Db, set: PublicSet): Promise<Finding[]> {
  const { name, variable, content, read, minReciprocalRank } = set;
  const folder = process.env[variable];
  if (folder === undefined) {
    note(`${name} was not measured: ${variable} is not set to a folder with ${content}`);
    return [];
  }
  const { findings, meanRank } = await measure(db, name, read(folder));
  if (minReciprocalRank === undefined) return findings;
  return [...findings, atLeast(`${name}, mean reciprocal rank`, meanRank, minReciprocalRank)];
}

await report(() =>
  withStack({ hasTemporal: false }, async ({ db }) => {
    const findings: Finding[] = [];
    for (const set of SETS) findings.push(...(await measureIfGiven(db, set)));
    return findings;
  }),
);
