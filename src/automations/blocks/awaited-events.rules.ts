import { branchesOf } from './branches.rules.ts';
import type { Step, TriggerType } from './schema.ts';

/** Returns the types of events awaited by the steps, in all branches. */
export function awaitedEventTypes(steps: readonly Step[]): TriggerType[] {
  const types = new Set<TriggerType>();
  for (const step of steps) {
    if (step.$kind === 'Block' && step.type === 'wait-for-event') types.add(step.inputs.trigger_type);
    for (const branch of branchesOf(step)) for (const type of awaitedEventTypes(branch.steps)) types.add(type);
  }
  return [...types];
}
