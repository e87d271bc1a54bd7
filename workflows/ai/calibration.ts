import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { CalibrationActivities } from '../../activities/ai/calibration.ts';
import type { CalibrationInput } from '../../src/ai/calibration/contract.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { CALIBRATION } from '../activity-options.ts';
import { untilUnchanged } from '../signals.ts';

const activities = proxyActivities<CalibrationActivities>({
  ...CALIBRATION,
  summary: 'measure answers with questions from the org’s own passages',
});

/** Calibrates the answers of an org, and again if that was requested meanwhile. */
export async function calibrateAnswers(input: CalibrationInput): Promise<void> {
  await untilUnchanged(WAKE, async () => {
    const { questions, threshold } = await activities.calibrateAnswers(input);
    setCurrentDetails(`${questions} questions; answers need a confidence of ${threshold.toFixed(3)}`);
  });
}
