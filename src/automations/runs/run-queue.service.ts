import type { Trx } from '../../db/connect.ts';
import { enqueue, signalWithStart, start } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { claimQueuedRuns, type Run } from '../runs.queries.ts';
import { advanceRun, loadContext } from './advance-run.service.ts';
import { type NextStep, RUN_AUTOMATION } from './contract.ts';

/** Maximum number of active runs in an org, without runs waiting for a time or an event. Further runs are queued. */
const MAX_ACTIVE_RUNS = 100;

const subjectOf = (runId: string, name: string) => ({ subjectId: runId, summary: name.slice(0, 200) });

/** Starts queued runs of an org, up to its limit of active runs. */
export async function startQueuedRuns(trx: Trx, orgId: string): Promise<void> {
  for (;;) {
    const admitted = await claimQueuedRuns(trx, orgId, MAX_ACTIVE_RUNS);
    let ended = 0;
    for (const run of admitted) ended += (await startRun(trx, orgId, run)) ? 0 : 1;
    if (ended === 0) return;
  }
}

/** Starts a run. Returns false if the run ended at once, without any work for Temporal. */
async function startRun(trx: Trx, orgId: string, run: Run): Promise<boolean> {
  const context = await loadContext(trx, orgId, run);
  const next = await advanceRun(trx, context, undefined);
  if (next.kind === 'end' || next.kind === 'failed') return false;
  await enqueue(
    trx,
    orgId,
    start(RUN_AUTOMATION, { orgId, runId: run.id, next, isAtOnce: true }, subjectOf(run.id, context.definition.name)),
  );
  return true;
}

/** Wakes a run to check its wait, or to notice its cancellation. */
export const wakeRun = (orgId: string, runId: string) =>
  signalWithStart(RUN_AUTOMATION, { orgId, runId, next: { kind: 'end' } }, WAKE, subjectOf(runId, 'Run of a workflow'));

/** Resumes an ended run at a step. */
export const resumeRun = (orgId: string, runId: string, next: NextStep, name: string) =>
  signalWithStart(RUN_AUTOMATION, { orgId, runId, next }, WAKE, subjectOf(runId, name));
