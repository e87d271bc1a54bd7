import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { usualThresholdOf } from '../../../src/ai/calibration/rules.ts';
import { type AnswerNetwork, logOddsOf } from '../../../src/knowledge/search/answer-network.rules.ts';
import { FEATURES } from '../../../src/knowledge/search/closeness-features.rules.ts';
import { type Purpose, readHelpCenters } from '../../support/help-centers.ts';
import { note } from '../../support/report.ts';
import { withStack } from '../../support/stack.ts';
import { type ComparedRow, listComparedRows } from './features.ts';
import { train } from './training.rules.ts';

/** Chosen by what networks answer on centers that they have not learned on. */
const TRAINING = { hidden: 8, steps: 1_500, decay: 20, seed: 1 };
/** The parts of the centers, each asked by a network that has learned on the others. */
const PARTS = 4;
/** The share of questions without an answer that may get one by the usual thresholds. */
const MAX_WRONG = 0.05;
/** The passages of a usual small center. */
const USUAL_PASSAGES = 10;
const FILE = fileURLToPath(new URL('../../../src/knowledge/embedding/answer-network.json', import.meta.url));

/** A question with the passage that a network finds most likely to answer it. */
interface Answer {
  purpose: Purpose;
  passages: number;
  isHard: boolean;
  isAnswerable: boolean;
  isRight: boolean;
  logOdds: number;
}

const trainOn = (rows: ComparedRow[]): AnswerNetwork =>
  train(
    { features: FEATURES, rows: rows.map(({ features }) => features), answers: rows.map(({ isAnswer }) => isAnswer) },
    TRAINING,
  );

function answersBy(network: AnswerNetwork, rows: ComparedRow[]): Answer[] {
  return [...Map.groupBy(rows, ({ question }) => question).values()].flatMap((compared) => {
    const rated = compared.map((row) => ({ ...row, logOdds: logOddsOf(network, row.features) }));
    const [first] = rated.sort((a, b) => b.logOdds - a.logOdds);
    return first === undefined ? [] : [{ ...first, isRight: first.isAnswer }];
  });
}

/** Returns the answers to all questions, each by a network that has not learned on its center. */
function crossValidate(rows: ComparedRow[]): Answer[] {
  const centers = [...new Set(rows.map(({ center }) => center))];
  const partOf = new Map(centers.map((center, nth) => [center, nth % PARTS]));
  return Array.from({ length: PARTS }, (_, part) => {
    const [others, asked] = [false, true].map((isIn) =>
      rows.filter(({ center }) => (partOf.get(center) === part) === isIn),
    );
    return answersBy(trainOn(others ?? []), asked ?? []);
  }).flat();
}

/** Returns the number that this share of the values are above. All values of a purpose count as much as those of another. */
function numberAbove(values: { purpose: Purpose; value: number }[], share: number): number {
  const counts = Map.groupBy(values, ({ purpose }) => purpose);
  let above = 0;
  for (const { purpose, value } of values.toSorted((a, b) => b.value - a.value)) {
    above += 1 / counts.size / (counts.get(purpose)?.length ?? 1);
    if (above > share) return value;
  }
  throw new Error('There are no values');
}

const withoutAnswer = (answers: Answer[]): Answer[] => answers.filter(({ isAnswerable }) => !isAnswerable);

/** Returns above which logarithm of the odds this share of the questions without an answer is. */
const logOddsAbove = (answers: Answer[], share: number): number =>
  numberAbove(
    withoutAnswer(answers).map(({ purpose, logOdds }) => ({ purpose, value: logOdds })),
    share,
  );

function noteQuality(name: string, answers: Answer[]): void {
  const answerable = answers.filter(({ isAnswerable }) => isAnswerable);
  for (const share of [0.03, 0.05, 0.1]) {
    const answered = answerable.filter(({ logOdds }) => logOdds > logOddsAbove(answers, share));
    const right = answered.filter(({ isRight }) => isRight).length / answerable.length;
    note(
      `${name} questions, ${share * 100} % of those without an answer answered: right ${right.toFixed(3)}, another article ${(answered.length / answerable.length - right).toFixed(3)}`,
    );
  }
}

/**
 * Returns the scale that turns the logarithm of the odds into a confidence. By it, thresholds for two shares of wrong answers
 * let these shares of the questions without an answer through.
 */
function scaleOf(answers: Answer[]): { even: number; unit: number } {
  const [usual, rare] = [MAX_WRONG, MAX_WRONG / Math.E].map((share) => ({
    threshold: usualThresholdOf('known-scale', USUAL_PASSAGES, share),
    logOdds: logOddsAbove(answers, share),
  }));
  if (usual === undefined || rare === undefined) throw new Error('Two shares have two thresholds');
  const unit = (rare.threshold - usual.threshold) / (rare.logOdds - usual.logOdds);
  const beyond = withoutAnswer(answers).map(({ purpose, passages, logOdds }) => ({
    purpose,
    value: unit * logOdds - usualThresholdOf('known-scale', passages, MAX_WRONG),
  }));
  return { even: rounded(-numberAbove(beyond, MAX_WRONG)), unit: rounded(unit) };
}

const rounded = (value: number): number => Number(value.toPrecision(4));

await withStack({ hasTemporal: true }, async (stack) => {
  const rows = await listComparedRows(stack, [...readHelpCenters('learning'), ...readHelpCenters('tuning')]);
  const answers = crossValidate(rows);
  const plain = answers.filter(({ isHard }) => !isHard);
  noteQuality('plain', plain);
  noteQuality('all', answers);
  writeFileSync(FILE, JSON.stringify({ ...scaleOf(plain), network: trainOn(rows) }));
  execFileSync('npx', ['biome', 'format', '--write', FILE]);
  note(`written to ${FILE}`);
});
