import type { Trx } from '../../db/connect.ts';
import { stepAt } from '../interpreter/step-paths.rules.ts';
import { advanceRun, nextActionOf, nextWaitOf, type RunContext } from './advance-run.service.ts';
import type { NextStep } from './contract.ts';
import { findLatestStep } from './reconcile.queries.ts';

/** Returns the step at which a run continues, as its rows tell. A completed step is not done again. */
export async function findNextStep(trx: Trx, context: RunContext): Promise<NextStep> {
  const { orgId, run, definition } = context;
  const latest = await findLatestStep(trx, { orgId, runId: run.id });
  const step = latest && stepAt(definition.blocks, latest.place);
  if (latest === undefined || step === undefined) return advanceRun(trx, context, undefined);
  if (latest.status === 'waiting') return nextWaitOf(latest.place, step, Date.now());
  if (latest.status === 'in_progress' && step.$kind === 'Action') return nextActionOf(latest.place, step);
  return { kind: 'continue', place: latest.place };
}
