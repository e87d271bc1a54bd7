import { chooseSentences } from '../src/conversations/summary/choice.rules.ts';
import { summaryOf } from '../src/conversations/summary/summary.rules.ts';
import { createRandom, createWriter } from './support/generated-texts.ts';
import { type Finding, limitFinding, median, note, report } from './support/report.ts';
import { type AnnotatedConversation, annotatedConversations, choiceF1, placeOf } from './support/sentence-choices.ts';

const MIN_F1 = 0.54;
/** As many messages as are read of the longest session, and as much of each. */
const MESSAGES = 210;
const CHARACTERS = 2_000;
const ROUNDS = 20;
const MAX_SUMMARY_MS = 100;
/** How many sentences a summary has. */
const SENTENCES = 4;
/** The folder with the three .jsonl files of https://github.com/guyfe/Tweetsumm. */
const FOLDER = process.env.TWEETSUMM_FOLDER;

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Measured in processor time, as the machine may do other work. */
function measureCost(): Finding {
  const writer = createWriter(createRandom(7));
  const text = () =>
    Array.from({ length: 20 }, () => `${writer.question(20)} `)
      .join('')
      .slice(0, CHARACTERS);
  const messages = Array.from({ length: MESSAGES }, () => ({ sender: 'contact' as const, text: text() }));
  const costs = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    summaryOf(messages);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return limitFinding(`summary of ${MESSAGES} messages of ${CHARACTERS} characters, median`, {
    subject: `${median(costs).toFixed(1)} ms`,
    target: `< ${MAX_SUMMARY_MS} ms`,
    isMet: median(costs) < MAX_SUMMARY_MS,
  });
}

const chosenBy = (choose: typeof chooseSentences, { lengths }: AnnotatedConversation): Set<string> =>
  new Set(choose(lengths).map(({ message, sentence }) => placeOf(message, sentence)));

const lastSentences: typeof chooseSentences = (lengths) =>
  lengths.flatMap((ofMessage, message) => ofMessage.map((_, sentence) => ({ message, sentence }))).slice(-SENTENCES);

/** Returns the mean F1 of a choice against each person's. */
const scoreOf = (choose: typeof chooseSentences, conversations: AnnotatedConversation[]): number =>
  mean(
    conversations.flatMap((conversation) => {
      const chosen = chosenBy(choose, conversation);
      return conversation.choices.map((choice) => choiceF1(chosen, choice));
    }),
  );

/** Returns the mean F1 of each person's choice against each other's. */
const agreementOf = (conversations: AnnotatedConversation[]): number =>
  mean(
    conversations.flatMap(({ choices }) =>
      choices.flatMap((one, nth) => choices.slice(nth + 1).map((other) => choiceF1(one, other))),
    ),
  );

function measureChoice(folder: string): Finding {
  const conversations = annotatedConversations(folder);
  const subject = scoreOf(chooseSentences, conversations);
  const baseline = scoreOf(lastSentences, conversations);
  note(`people choose the same sentences with F1 ${agreementOf(conversations).toFixed(3)}`);
  return {
    name: `sentences that people chose in ${conversations.length} conversations, F1 beside the last ${SENTENCES} sentences`,
    subject: subject.toFixed(3),
    baseline: baseline.toFixed(3),
    ratio: (subject / baseline).toFixed(2),
    target: `≥ ${MIN_F1}`,
    isMet: subject >= MIN_F1,
  };
}

await report(async () => {
  const cost = measureCost();
  if (FOLDER !== undefined) return [cost, measureChoice(FOLDER)];
  note('the choice of sentences was not measured: TWEETSUMM_FOLDER is not set to the data of guyfe/Tweetsumm');
  return [cost];
});
