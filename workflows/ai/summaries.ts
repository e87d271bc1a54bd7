import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { SummaryActivities } from '../../activities/ai/summaries.ts';
import type { SummaryRef } from '../../src/ai/summaries/contract.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { MODEL_SUMMARY } from '../activity-options.ts';
import { untilUnchanged } from '../signals.ts';

const { summarizeSession: askForSummary } = proxyActivities<SummaryActivities>({
  ...MODEL_SUMMARY,
  summary: 'ask the model for a summary',
});

/** Asks the org's model for the summary of a session, and again if that was requested meanwhile. */
export async function summarizeSession(input: SummaryRef): Promise<void> {
  await untilUnchanged(WAKE, async () => {
    setCurrentDetails('asking the model for a summary');
    setCurrentDetails(`result: ${(await askForSummary(input)).replaceAll('_', ' ')}`);
  });
}
