import { join } from 'node:path';
import { decideTags } from '../src/tagging/decisions.rules.ts';
import { DEFAULT_PRECISION, type Learnt, learnTags } from '../src/tagging/learning.rules.ts';
import { decodeModel, scoreTexts } from '../src/tagging/model.rules.ts';
import { createRandom, createWriter } from './support/generated-texts.ts';
import { correlationOf, type LabeledText, readLabeledTexts } from './support/labeled-texts.ts';
import { type Finding, limitFinding, note, report } from './support/report.ts';

const SESSIONS = 5_000;
const TAGS = 50;
const MAX_LEARNING_CPU_MS = 60_000;
const MIN_ACCURACY = 0.9;
const MIN_PRECISION = DEFAULT_PRECISION - 0.03;
const MIN_CORRELATION = 0.6;
/** Of the test texts that are about none of the labels. */
const OUT_OF_SCOPE = 'NO_NODES_DETECTED';
/** banking_data of PolyAI-LDN/task-specific-datasets: train.csv and test.csv. */
const BANKING_FOLDER = process.env.BANKING77_FOLDER;
/** dataset/v2 of hellohaptik/HINT3: train/ and test/, with labels that its authors have corrected. */
const HINT3_FOLDER = process.env.HINT3_FOLDER;

const finding = (name: string, value: number, target: string, isMet: boolean): Finding =>
  limitFinding(`tagging: ${name}`, { subject: value.toFixed(3), target, isMet });
const atLeast = (name: string, value: number, least: number) => finding(name, value, `≥ ${least}`, value >= least);

function learn(texts: LabeledText[]): { learnt: Learnt; cpuMs: number } {
  const before = process.cpuUsage();
  const learnt = learnTags({ texts: texts.map(({ text, label }) => ({ text, tags: [label], unsure: [] })) });
  const { user, system } = process.cpuUsage(before);
  return { learnt, cpuMs: (user + system) / 1_000 };
}

/** What a model learnt from some texts says about others. */
interface Quality {
  /** Of the texts about a learnt label: the share whose best label is the right one. */
  accuracy: number;
  /** The share of right ones among the tags that are applied. */
  precision: number;
  /** Of the texts about any label: the share that gets it. */
  coverage: number;
  /** Where a text has the best of the tags applied to it, or none. */
  correlation: number;
}

function qualityOf({ tags, model }: Learnt, texts: LabeledText[]): Quality {
  const keys = new Set(tags.map(({ tag_key }) => tag_key));
  const scores = scoreTexts(
    decodeModel(model),
    texts.map(({ text }) => text),
  );
  const learntKeys = new Set(tags.slice(0, scores[0]?.length).map(({ tag_key }) => tag_key));
  const guesses = texts.map(({ label }, nth) => {
    const ofText = scores[nth] ?? [];
    const byScore = [...ofText.keys()].sort((a, b) => (ofText[b] ?? 0) - (ofText[a] ?? 0));
    const best = byScore.map((of) => tags[of]?.tag_key ?? '');
    const { applied } = decideTags(tags, ofText, keys);
    return { label, best: best[0], applied, guess: best.find((key) => applied.includes(key)) ?? OUT_OF_SCOPE };
  });
  const learntOnes = guesses.filter(({ label }) => learntKeys.has(label));
  const inScope = guesses.filter(({ label }) => label !== OUT_OF_SCOPE);
  const hits = guesses.filter(({ label, applied }) => applied.includes(label)).length;
  return {
    accuracy: learntOnes.filter(({ label, best }) => label === best).length / learntOnes.length,
    precision: hits / guesses.reduce((sum, { applied }) => sum + applied.length, 0),
    coverage: hits / inScope.length,
    correlation: correlationOf(guesses),
  };
}

function measureGenerated(): Finding[] {
  const writer = createWriter(createRandom(7));
  const texts = Array.from({ length: SESSIONS }, (_, nth) => ({
    text: `${writer.title()} ${writer.title()} ${nth % TAGS}`,
    label: `tag ${nth % TAGS}`,
  }));
  const { cpuMs } = learn(texts);
  const name = `tagging: learning ${TAGS} tags from ${SESSIONS} generated sessions`;
  const isMet = cpuMs < MAX_LEARNING_CPU_MS;
  const target = `< ${MAX_LEARNING_CPU_MS / 1_000} s of CPU`;
  return [limitFinding(name, { subject: `${(cpuMs / 1_000).toFixed(1)} s`, target, isMet })];
}

function measureBanking(folder: string): Finding[] {
  const { learnt, cpuMs } = learn(readLabeledTexts(join(folder, 'train.csv')));
  note(`Banking77: learnt in ${(cpuMs / 1_000).toFixed(1)} s of CPU, ${learnt.model.length} bytes`);
  const { accuracy, precision, coverage } = qualityOf(learnt, readLabeledTexts(join(folder, 'test.csv')));
  note(`Banking77: coverage ${coverage.toFixed(3)}`);
  return [
    atLeast('Banking77, accuracy', accuracy, MIN_ACCURACY),
    atLeast('Banking77, precision of applied tags', precision, MIN_PRECISION),
  ];
}

/** Half of the test texts are out of scope, and no training text is. */
function measureCurekart(folder: string): Finding[] {
  const { learnt } = learn(readLabeledTexts(join(folder, 'train', 'curekart_train.csv')));
  const quality = qualityOf(learnt, readLabeledTexts(join(folder, 'test', 'curekart_test.csv')));
  note(`curekart: precision ${quality.precision.toFixed(3)}, coverage ${quality.coverage.toFixed(3)}`);
  return [atLeast('HINT3 curekart, Matthews correlation', quality.correlation, MIN_CORRELATION)];
}

await report(async () => {
  const findings = measureGenerated();
  if (BANKING_FOLDER === undefined)
    note('Banking77 was not measured: BANKING77_FOLDER is not set to a folder with its train.csv and test.csv');
  else findings.push(...measureBanking(BANKING_FOLDER));
  if (HINT3_FOLDER === undefined)
    note('HINT3 was not measured: HINT3_FOLDER is not set to a folder with its train/ and test/');
  else findings.push(...measureCurekart(HINT3_FOLDER));
  return findings;
});
