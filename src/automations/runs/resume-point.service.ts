import type { Trx } from '../../db/connect.ts';
import { lastPathOf, stepAt } from '../interpreter/step-paths.rules.ts';
import { advanceRun, nextActionOf, nextWaitOf, type RunContext } from './advance-run.service.ts';
import type { NextStep } from './contract.ts';
import { findOpenStep, listLastActions } from './repair.queries.ts';

/**
 * Returns the step at which a run continues, as its rows tell. An ended action is not done again. Blocks behind it are
 * evaluated again: that they were says nothing about the steps that they lead to.
 */
export async function findNextStep(trx: Trx, context: RunContext): Promise<NextStep> {
  const ref = { orgId: context.orgId, runId: context.run.id };
  const open = await findOpenStep(trx, ref);
  const step = open && stepAt(context.definition.blocks, open.path);
  if (open?.status === 'waiting' && step !== undefined) return nextWaitOf(open.path, step, Date.now());
  if (open?.status === 'in_progress' && step?.$kind === 'Action') return nextActionOf(open.path, step);
  return advanceRun(trx, context, lastPathOf(await listLastActions(trx, ref)));
}
