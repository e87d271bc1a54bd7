import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { AssignmentActivities } from '../activities/assignment.ts';
import { type AssignmentInput, LOOK_AT_QUEUES } from '../src/conversations/assignment.contract.ts';
import { BATCH_OF_ROWS } from './activity-options.ts';

const BATCHES_A_RUN = 200;

const look = defineSignal(LOOK_AT_QUEUES);
const { giveWaitingSessions } = proxyActivities<AssignmentActivities>({
  ...BATCH_OF_ROWS,
  summary: 'give sessions that wait to members who can take them',
});

/** Gives what waits to members in batches, and again when office hours begin or something has changed. Ends where only a change would help. */
export async function assignWaiting(input: AssignmentInput): Promise<void> {
  let isWoken = false;
  setHandler(look, () => {
    isWoken = true;
  });
  for (let batches = 1; ; batches++) {
    isWoken = false;
    const { hasMore, opensInMs } = await giveWaitingSessions(input);
    if (batches >= BATCHES_A_RUN || workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof assignWaiting>(input);
    }
    if (hasMore || isWoken) continue;
    if (opensInMs === null) return;
    await condition(() => isWoken, Math.max(opensInMs, 1), { summary: 'until office hours begin' });
  }
}
