import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { EvalActivities } from '../../activities/ai/evals.ts';
import type { EvalRunRef } from '../../src/evals/contract.ts';
import { DATABASE_BATCH, EVAL_BATCH } from '../activity-options.ts';
import { recordingCancellation } from '../cancellation.ts';

const { runNextCases } = proxyActivities<EvalActivities>({ ...EVAL_BATCH, summary: 'run the next eval cases' });
const { abandonEvalRun } = proxyActivities<EvalActivities>({
  ...DATABASE_BATCH,
  summary: 'record that the eval run was canceled',
});

/** Runs the cases of an eval run, batch by batch, until none is left or the run is canceled. */
export async function runEvals(input: EvalRunRef): Promise<void> {
  await recordingCancellation(
    async () => {
      for (;;) {
        const { cases, passed, failed, isOver } = await runNextCases(input);
        setCurrentDetails(`${passed + failed} of ${cases} cases were run, ${passed} passed`);
        if (isOver) return;
        if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof runEvals>(input);
      }
    },
    () => abandonEvalRun(input),
  );
}
