import type { RunOutcome } from '../../ai/calls/workflow-runs.service.ts';
import type { Trx } from '../../db/connect.ts';
import { maskCredentials } from '../masking.rules.ts';
import { listLatestOutputs } from './shared.queries.ts';
import type { RunStatus } from './table.ts';

const MAX_CHARACTERS = 60_000;

/**
 * Returns what a run's end says to whoever called it: the outputs of its steps by their ids. A run that failed or was
 * canceled after an action was begun may have done some of it.
 */
export async function outcomeOfRun(
  trx: Trx,
  orgId: string,
  runId: string,
  { status, error }: { status: Exclude<RunStatus, 'idle' | 'in_progress'>; error?: string | null },
): Promise<RunOutcome> {
  const { outputs, leftOut, hasActed } = await listLatestOutputs(trx, orgId, runId, MAX_CHARACTERS);
  const byStep = Object.fromEntries(outputs.map(({ step_id, output }) => [step_id, maskCredentials(output)]));
  const response = { status, outputs: byStep, ...(leftOut > 0 && { outputs_left_out: leftOut }) };
  if (status === 'completed') return { state: 'done', response, reason: null };
  const reason = status === 'canceled' ? 'The workflow was canceled' : 'The workflow failed';
  return {
    state: hasActed ? 'unknown' : 'failed',
    response,
    reason: error === null || error === undefined ? reason : `${reason}: ${error}`,
  };
}
