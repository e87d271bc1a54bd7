import type { Trx } from '../../db/connect.ts';
import { enqueue, signalWithStart, start } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { claimQueuedRuns, type Run } from '../runs.queries.ts';
import { advanceRun, getDefinition } from './advance-run.service.ts';
import { type NextStep, RUN_AUTOMATION } from './contract.ts';

/** Runs of an org that are under way at once, those aside that wait for a time or an event. The others wait for their turn. */
const MAX_ACTIVE_RUNS = 100;

const subjectOf = (runId: string, name: string) => ({ subjectId: runId, summary: name.slice(0, 200) });

/** Lets those of an org's runs begin whose turn it is. */
export async function startQueuedRuns(trx: Trx, orgId: string): Promise<void> {
  for (;;) {
    const admitted = await claimQueuedRuns(trx, orgId, MAX_ACTIVE_RUNS);
    let ended = 0;
    for (const run of admitted) ended += (await startRun(trx, orgId, run)) ? 0 : 1;
    if (ended === 0) return;
  }
}

/** Says whether there is anything to do for its workflow. */
async function startRun(trx: Trx, orgId: string, run: Run): Promise<boolean> {
  const definition = await getDefinition(trx, orgId, run);
  const next = await advanceRun(trx, orgId, run, definition, undefined);
  if (next.kind === 'end' || next.kind === 'failed') return false;
  await enqueue(trx, orgId, start(RUN_AUTOMATION, { orgId, runId: run.id, next }, subjectOf(run.id, definition.name)));
  return true;
}

/** Has a run look whether what it waits for has come, or whether it was canceled. */
export const wakeRun = (orgId: string, runId: string) =>
  signalWithStart(RUN_AUTOMATION, { orgId, runId, next: { kind: 'end' } }, WAKE, subjectOf(runId, 'Run of a workflow'));

/** Has a run that ended go on from a step. */
export const resumeRun = (orgId: string, runId: string, next: NextStep, name: string) =>
  signalWithStart(RUN_AUTOMATION, { orgId, runId, next }, WAKE, subjectOf(runId, name));
