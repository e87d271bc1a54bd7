import { continueAsNew, proxyActivities, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { CsatActivities } from '../activities/csat.ts';
import type { SurveyRef } from '../src/csat/survey/contract.ts';
import { WAKE } from '../src/temporal/contract.ts';
import { DATABASE_BATCH } from './activity-options.ts';
import { countSignals } from './signals.ts';

const { sendDueSurvey } = proxyActivities<CsatActivities>({
  ...DATABASE_BATCH,
  summary: 'send the survey if it is due',
});

/** Sends the survey of a resolution once its delay is over, unless the session was reopened. */
export async function sendCsatSurvey(input: SurveyRef): Promise<void> {
  countSignals(WAKE); // the repair starts it by a signal, which changes nothing here
  for (;;) {
    const { dueInMs } = await sendDueSurvey(input);
    if (dueInMs === null) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof sendCsatSurvey>(input);
    setCurrentDetails('The survey waits for its time.');
    await sleep(Math.max(Math.ceil(dueInMs), 1), { summary: 'waiting for the time of the survey' });
  }
}
