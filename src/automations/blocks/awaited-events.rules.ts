import type { Step, TriggerType } from './schema.ts';

/** Returns the types of events awaited by the steps, in all branches. */
export function awaitedEventTypes(steps: readonly Step[]): TriggerType[] {
  const types = new Set<TriggerType>();
  for (const step of steps) {
    if (step.$kind === 'Action' || step.type === 'wait') continue;
    if (step.type === 'wait-for-event') types.add(step.inputs.trigger_type);
    else for (const inner of branchesOf(step)) for (const type of awaitedEventTypes(inner)) types.add(type);
  }
  return [...types];
}

function branchesOf(
  step: Exclude<Step, { $kind: 'Action' } | { type: 'wait' | 'wait-for-event' }>,
): (readonly Step[])[] {
  switch (step.type) {
    case 'if-else':
      return [step.branches.then, step.branches.else ?? []];
    case 'switch':
      return [...step.branches.cases.map(({ steps }) => steps), step.branches.default ?? []];
    case 'for-each':
      return [step.branches.do];
  }
}
