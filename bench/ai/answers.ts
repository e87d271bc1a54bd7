import { type AskedHeading, calibrate } from '../../src/ai/calibration/rules.ts';
import { calibrateAnswers, getThreshold } from '../../src/ai/calibration/service.ts';
import { connect, type Db } from '../../src/db/connect.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { indexItems } from '../../src/knowledge/index/service.ts';
import { findEvidence } from '../../src/knowledge/search/passage-search.service.ts';
import { createRandom } from '../support/generated-texts.ts';
import { type AnswerSet, readCookbook, readStackFaq } from '../support/question-answer-sets.ts';
import { type Finding, note, report } from '../support/report.ts';
import { WORDS_ONLY } from '../support/retrieval-sets.ts';
import { seedOrg } from '../support/seed.ts';
import { withStack } from '../support/stack.ts';

const MAX_WRONG = 0.05;
const MIN_RIGHT = 0.95;
const MIN_ANSWERED = 0.35;
const MIN_RECIPROCAL_RANK = 0.85;
/** As many as a calibration looks at. */
const PASSAGES = 30;
/** The calibration with labels learns from one half of the questions and is measured on the other, this often. */
const SPLITS = 20;

/** data/StackFAQ of ML-Recipes/BERT-FAQ. */
const STACKFAQ_FOLDER = process.env.STACKFAQ_FOLDER;
/** skills/retrieval_augmented_generation of anthropics/claude-cookbooks. */
const COOKBOOK_FOLDER = process.env.COOKBOOK_FOLDER;

interface AskedQuestion extends AskedHeading {
  /** One divided by the rank of the first right item. */
  reciprocalRank: number;
}

async function ask(db: Db, orgId: string, { questions }: AnswerSet): Promise<AskedQuestion[]> {
  const asked: AskedQuestion[] = [];
  for (const { text, right } of questions) {
    const search = { query: text, limit: PASSAGES, visibility: ['public' as const] };
    const { passages, confidence } = await findEvidence(db, WORDS_ONLY, orgId, search);
    const rank = [...new Set(passages.map(({ id }) => id))].findIndex((id) => right.includes(id));
    asked.push({
      hidden: confidence(passages.filter(({ id }) => !right.includes(id))),
      shown: confidence(passages),
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

const finding = (name: string, value: number, target: string, isMet: boolean): Finding => ({
  name: `answers: ${name}`,
  subject: value.toFixed(3),
  baseline: '',
  ratio: '',
  target,
  isMet,
});
const atLeast = (name: string, value: number, least: number) => finding(name, value, `≥ ${least}`, value >= least);
const atMost = (name: string, value: number, most: number) => finding(name, value, `≤ ${most}`, value <= most);

async function measure(db: Db, name: string, set: AnswerSet): Promise<{ findings: Finding[]; meanRank: number }> {
  const orgId = await seedOrg(db, 0);
  await inTransaction(db, (trx) => indexItems(trx, orgId, set.items));
  const asked = await ask(db, orgId, set);
  const labeled = qualityWithLabels(asked);
  await calibrateAnswers(db, WORDS_ONLY, orgId, new AbortController().signal);
  const own = qualityAt(await getThreshold(db, orgId), asked);
  const meanRank = mean(asked.map(({ reciprocalRank }) => reciprocalRank));
  note(`${name}: ${set.items.length} items, ${asked.length} questions, MRR ${meanRank.toFixed(3)}`);
  note(`${name}, self-calibrated: answered ${own.answered.toFixed(3)}, right among them ${own.right.toFixed(3)}`);
  return {
    meanRank,
    findings: [
      atLeast(`${name}, right item among those answered`, labeled.right, MIN_RIGHT),
      atMost(`${name}, answered though the article is hidden`, labeled.wrong, MAX_WRONG),
      atLeast(`${name}, questions answered`, labeled.answered, MIN_ANSWERED),
      atMost(`${name}, self-calibrated, answered though hidden`, own.wrong, MAX_WRONG),
    ],
  };
}

await report(() =>
  withStack({ hasTemporal: false }, async ({ databaseUrl }) => {
    const { db, close } = connect(databaseUrl, { poolSize: 4 });
    const findings: Finding[] = [];
    if (STACKFAQ_FOLDER === undefined)
      note('StackFAQ was not measured: STACKFAQ_FOLDER is not set to a folder with its stackExchange-FAQ.json');
    else findings.push(...(await measure(db, 'StackFAQ', readStackFaq(STACKFAQ_FOLDER))).findings);
    if (COOKBOOK_FOLDER === undefined)
      note('the cookbook was not measured: COOKBOOK_FOLDER is not set to a folder with its data/ and evaluation/');
    else {
      const cookbook = await measure(db, 'cookbook', readCookbook(COOKBOOK_FOLDER));
      findings.push(
        ...cookbook.findings,
        atLeast('cookbook, mean reciprocal rank', cookbook.meanRank, MIN_RECIPROCAL_RANK),
      );
    }
    await close();
    return findings;
  }),
);
