import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { AssignmentActivities } from '../activities/assignment.ts';
import type { AssignmentInput } from '../src/conversations/assignment/contract.ts';
import { WAKE } from '../src/temporal/contract.ts';
import { DATABASE_BATCH } from './activity-options.ts';

const BATCHES_PER_RUN = 200;

const wake = defineSignal(WAKE);
const { assignBatch } = proxyActivities<AssignmentActivities>({
  ...DATABASE_BATCH,
  summary: 'assign waiting sessions to available members',
});

/**
 * Assigns waiting sessions to members in batches, and again when office hours begin or a signal arrives. Ends when
 * neither more batches nor the start of office hours would help.
 */
export async function assignWaitingSessions(input: AssignmentInput): Promise<void> {
  let isWoken = false;
  setHandler(wake, () => {
    isWoken = true;
  });
  for (let batches = 1; ; batches++) {
    isWoken = false;
    const { hasMore, opensInMs } = await assignBatch(input);
    if (batches >= BATCHES_PER_RUN || workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof assignWaitingSessions>(input);
    }
    if (hasMore || isWoken) continue;
    if (opensInMs === null) return;
    await condition(() => isWoken, Math.max(opensInMs, 1), { summary: 'waiting for office hours to begin' });
  }
}
