import {
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { InsightActivities } from '../activities/insights.ts';
import type { ExtractionInput } from '../src/insights/extraction/contract.ts';
import type { ReviewInput } from '../src/insights/review/contract.ts';
import { WAKE } from '../src/temporal/contract.ts';
import { AI_CALL, DATABASE_BATCH, LEARNING, MANY_TEXTS } from './activity-options.ts';
import { countSignals, untilUnchanged } from './signals.ts';

const { extractStatements } = proxyActivities<InsightActivities>({
  ...AI_CALL,
  startToCloseTimeout: '10 minutes',
  summary: 'extract statements',
});
const { embedStatements, alignInsights } = proxyActivities<InsightActivities>({
  ...AI_CALL,
  ...MANY_TEXTS,
  summary: 'compute embeddings',
});
const { nameInsights } = proxyActivities<InsightActivities>({
  ...AI_CALL,
  startToCloseTimeout: '10 minutes',
  summary: 'rename insights that have grown',
});
const { reviewInsights: review } = proxyActivities<InsightActivities>({
  ...LEARNING,
  summary: 'learn categories and find similar insights',
});
const { assignStatements } = proxyActivities<InsightActivities>({
  ...DATABASE_BATCH,
  summary: 'match statements with insights',
});

const MAX_HOURS_BETWEEN_QUESTIONS = 6;

/** Finds out what the customer of a session said, and assigns it to insights. */
export async function extractInsights(input: ExtractionInput): Promise<void> {
  const signals = countSignals(WAKE);
  const { madeBy, statements } = await extractStatements(input);
  setCurrentDetails(`${statements} statements by ${madeBy}`);
  if (statements === 0) return;
  for (;;) {
    await whenEmbedded(input, signals, () => embedStatements(input));
    const { aligned, created, occurrences, comparedWith } = await assignStatements(input);
    if (aligned) {
      const named = await nameInsights(input);
      const found = `in ${occurrences} insights, ${created} of them new`;
      const among =
        comparedWith === undefined ? '' : `, compared with the ${comparedWith} insights of the most sessions`;
      setCurrentDetails(`${statements} statements by ${madeBy}; ${found}${among}; ${named} named again`);
      return;
    }
    while (!(await whenEmbedded(input, signals, () => alignInsights(input))))
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof extractInsights>(input);
  }
}

/**
 * Waits while the provider of the vectors refuses: until its settings are corrected, which wakes it, nothing can be
 * compared. In a new execution, what is done already is found done.
 */
async function whenEmbedded<Result>(
  input: ExtractionInput,
  signals: () => number,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let hours = 1; ; ) {
    const seen = signals();
    try {
      return await work();
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    }
    setCurrentDetails('waiting for new settings of the AI provider: it refuses to compute embeddings');
    if (signals() === seen) await pause(hours, () => signals() > seen);
    hours = signals() > seen ? 1 : Math.min(2 * hours, MAX_HOURS_BETWEEN_QUESTIONS);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof extractInsights>(input);
  }
}

/** Waits for hours, or until it is woken. */
const pause = (hours: number, isWoken: () => boolean): Promise<void> =>
  CancellationScope.cancellable(async () => {
    const timer = sleep(`${hours} hours`, { summary: 'waiting to ask the AI provider again' });
    await Promise.race([timer, condition(isWoken)]);
    CancellationScope.current().cancel();
  });

/** Gives categories to an org's insights and proposes merges, and again if that was requested meanwhile. */
export async function reviewInsights(input: ReviewInput): Promise<void> {
  await untilUnchanged(WAKE, async () => {
    const { categorized, proposed } = await review(input);
    setCurrentDetails(`${categorized} insights changed their category; ${proposed} new merge proposals`);
  });
}
