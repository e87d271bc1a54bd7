import { setTimeout as sleep } from 'node:timers/promises';
import { forEachConcurrently } from '../../src/concurrency/limited.ts';
import { type AiPrograms, type AnsweringOrg, startAiPrograms } from '../support/ai-programs.ts';
import { type CenterQuestion, type HelpCenter, Purpose, readHelpCenters } from '../support/help-centers.ts';
import { type Finding, limitFinding, note, report } from '../support/report.ts';
import { withStack } from '../support/stack.ts';

/** Which centers are asked: `tuning` or `learning`, or `held` once all is fixed. */
const PURPOSE = Purpose.parse(process.env.FIRST_EVENING_CENTERS ?? 'tuning');
/** Whether questions are compared by the model that comes with the product, or by words alone. */
const HAS_MODEL = process.env.EMBEDDING_MODEL !== 'none';
const MIN_RIGHT = HAS_MODEL ? 0.8 : 0.5;
const MAX_WRONG_ITEM = 0.02;
const MAX_ANSWERED_WITHOUT = 0.05;
const QUESTIONS_AT_ONCE = 4;
const LONGEST_WAIT_MS = 60_000;
const POLL_MS = 100;

/** Counts of questions by what they got. */
interface Tally {
  answerable: number;
  right: number;
  wrongItem: number;
  unanswerable: number;
  answeredWithout: number;
}

const EMPTY_TALLY: Tally = { answerable: 0, right: 0, wrongItem: 0, unanswerable: 0, answeredWithout: 0 };

const sumOf = (tallies: Tally[]): Tally =>
  tallies.reduce(
    (sum, one) => ({
      answerable: sum.answerable + one.answerable,
      right: sum.right + one.right,
      wrongItem: sum.wrongItem + one.wrongItem,
      unanswerable: sum.unanswerable + one.unanswerable,
      answeredWithout: sum.answeredWithout + one.answeredWithout,
    }),
    EMPTY_TALLY,
  );

/** A question of a center with the title of the article that was quoted first, null if it got no answer. */
interface AskedQuestion extends CenterQuestion {
  quoted: string | null;
}

function tallyOf(center: HelpCenter, asked: AskedQuestion[]): Tally {
  const slugs = new Map(center.articles.map(({ title, slug }) => [title, slug]));
  const isRight = ({ quoted, right }: AskedQuestion) => right.includes(slugs.get(quoted ?? '') ?? '');
  const answerable = asked.filter(({ right }) => right.length > 0);
  const unanswerable = asked.filter(({ right }) => right.length === 0);
  return {
    answerable: answerable.length,
    right: answerable.filter(isRight).length,
    wrongItem: answerable.filter((one) => one.quoted !== null && !isRight(one)).length,
    unanswerable: unanswerable.length,
    answeredWithout: unanswerable.filter(({ quoted }) => quoted !== null).length,
  };
}

/** Loads a center into a new org, turns autopilot on and waits for the calibration, as a newcomer would. */
async function openCenter(programs: AiPrograms, { name, slug, articles }: HelpCenter): Promise<AnsweringOrg> {
  const org = await programs.newOrg();
  await org.call('PUT', '/help-center/content', { categories: [{ name, slug, articles }] });
  await org.call('PATCH', '/autopilot', { channel: 'api', autopilot_enabled: true });
  if (!(await isCalibrated(org))) note(`${slug}: not calibrated within ${LONGEST_WAIT_MS / 1_000} s`);
  return org;
}

interface CalibrationAnswer {
  requested_at: string | null;
  measured_at: string | null;
  report: { with_vectors: boolean } | null;
}

async function isCalibrated(org: AnsweringOrg): Promise<boolean> {
  const giveUpAt = performance.now() + LONGEST_WAIT_MS;
  while (performance.now() < giveUpAt) {
    const {
      requested_at,
      measured_at,
      report: measured,
    } = await org.call<CalibrationAnswer>('GET', '/autopilot/calibration');
    const isMeasured = measured_at !== null && requested_at !== null && measured_at >= requested_at;
    if (isMeasured && measured?.with_vectors === HAS_MODEL) return true;
    await sleep(POLL_MS);
  }
  return false;
}

interface TurnAnswer {
  state: string;
  reason: string | null;
  citations: { title: string; quote: string | null }[];
  ended_at: string | null;
}

/** Asks a question in a new session. Returns the title of the article that is quoted first, null without an answer. */
async function ask(org: AnsweringOrg, text: string): Promise<string | null> {
  const session = await org.openSession();
  await org.ask(session, text);
  const giveUpAt = performance.now() + LONGEST_WAIT_MS;
  while (performance.now() < giveUpAt) {
    const { items } = await org.call<{ items: TurnAnswer[] }>('GET', `/chat/sessions/${session}/turns`);
    const turn = items.find(({ ended_at }) => ended_at !== null);
    if (turn !== undefined)
      return turn.state === 'answered' && turn.reason === null ? (turn.citations[0]?.title ?? null) : null;
    await sleep(POLL_MS);
  }
  throw new Error(`“${text}” did not get a turn that ended`);
}

async function askAll(org: AnsweringOrg, questions: CenterQuestion[]): Promise<AskedQuestion[]> {
  const asked: AskedQuestion[] = [];
  await forEachConcurrently(questions, QUESTIONS_AT_ONCE, async (question) => {
    asked.push({ ...question, quoted: await ask(org, question.text) });
  });
  return asked;
}

const share = (count: number, all: number): string => `${count} of ${all} (${(count / Math.max(1, all)).toFixed(2)})`;

const lineOf = (tally: Tally): string =>
  [
    `right ${share(tally.right, tally.answerable)}`,
    `wrong item ${share(tally.wrongItem, tally.answerable)}`,
    `answered without an answer ${share(tally.answeredWithout, tally.unanswerable)}`,
  ].join(', ');

/** The questions in the language of the articles, and those in others. */
interface CenterTally {
  own: Tally;
  others: Tally;
}

async function measureCenter(programs: AiPrograms, center: HelpCenter): Promise<CenterTally> {
  const org = await openCenter(programs, center);
  const asked = await askAll(org, center.questions);
  const byLanguage = Map.groupBy(asked, ({ language }) => language);
  const tallies = new Map([...byLanguage].map(([language, some]) => [language, tallyOf(center, some)]));
  for (const [language, tally] of tallies) note(`${center.slug}, ${language}: ${lineOf(tally)}`);
  const others = [...tallies].filter(([language]) => language !== center.language).map(([, tally]) => tally);
  return { own: tallies.get(center.language) ?? EMPTY_TALLY, others: sumOf(others) };
}

function findingsOf({ right, answerable, wrongItem, answeredWithout, unanswerable }: Tally): Finding[] {
  const finding = (name: string, count: number, all: number, target: { least?: number; most?: number }) => {
    const { least = 0, most = 1 } = target;
    const isMet = count >= least * all && count <= most * all;
    const wanted = target.least === undefined ? `≤ ${most}` : `≥ ${least}`;
    return limitFinding(`first evening: ${name}`, { subject: share(count, all), target: wanted, isMet });
  };
  return [
    finding('answerable questions answered by the right article', right, answerable, { least: MIN_RIGHT }),
    finding('answerable questions answered by another article', wrongItem, answerable, { most: MAX_WRONG_ITEM }),
    finding('other questions answered', answeredWithout, unanswerable, { most: MAX_ANSWERED_WITHOUT }),
  ];
}

await report(() =>
  withStack({ hasTemporal: true }, async (stack) => {
    const programs = await startAiPrograms(stack, stack.db);
    const tallies: CenterTally[] = [];
    for (const center of readHelpCenters(PURPOSE)) tallies.push(await measureCenter(programs, center));
    const own = sumOf(tallies.map((tally) => tally.own));
    note(`all ${PURPOSE} centers, in the language of the articles: ${lineOf(own)}`);
    note(`all ${PURPOSE} centers, in other languages: ${lineOf(sumOf(tallies.map(({ others }) => others)))}`);
    return findingsOf(own);
  }),
);
