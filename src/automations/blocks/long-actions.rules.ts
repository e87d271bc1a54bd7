import { branchesOf } from './branches.rules.ts';
import type { Step } from './schema.ts';

/** Actions that take seconds as a rule. Each is an activity of its own. */
const LONG_ACTIONS: ReadonlySet<string> = new Set(['ask-ai', 'create-crm-ticket']);

/** Returns whether a step is an action that takes long. */
export const isLongAction = (step: Step): boolean => step.$kind === 'Action' && LONG_ACTIONS.has(step.type);

/** Returns whether any of the steps takes long, in all branches. */
export const hasLongAction = (steps: readonly Step[]): boolean =>
  steps.some((step) => isLongAction(step) || branchesOf(step).some((branch) => hasLongAction(branch.steps)));
