import { elementAt } from '../../collections/checked-access.ts';
import { type Reference, referencesIn } from '../blocks/references.rules.ts';
import { type CollectedStep, quoted } from './steps.ts';

const MAX_REFERENCES = 2_000;
/** Fields of a loop's output available only inside of the loop. */
const ITERATION_FIELDS = new Set(['item', 'index']);

/**
 * Returns the problems with each step's references. A reference must be to the trigger or an earlier step. Steps in a
 * loop are visible only inside of it.
 */
export function problemsOfReferences(steps: CollectedStep[]): string[][] {
  const indexes = new Map<string, number>();
  for (const [path, { id }] of steps.entries()) if (id !== undefined && !indexes.has(id)) indexes.set(id, path);
  return steps.map(({ fields, loops }, path) => {
    const references = referencesIn(fields.$kind === 'Action' ? fields.input : fields.inputs);
    if (references.length > MAX_REFERENCES) return [`must have at most ${MAX_REFERENCES} references`];
    const problems = references.flatMap((reference) => {
      const at = reference.step === 'trigger' ? undefined : indexes.get(reference.step);
      const problem =
        reference.step === 'trigger'
          ? undefined
          : at === undefined
            ? 'there is no such step'
            : problemOfReference(reference, elementAt(steps, at), at - path, loops);
      return problem === undefined ? [] : [`refers to ${quoted(reference.step)}: ${problem}`];
    });
    return [...new Set(problems)];
  });
}

function problemOfReference(
  { path }: Reference,
  target: CollectedStep,
  distance: number,
  loops: string[],
): string | undefined {
  if (distance === 0) return 'a step cannot refer to itself';
  if (distance > 0) return 'that step comes later';
  const loop = target.loops.find((around) => !loops.includes(around));
  if (loop !== undefined) return `that step is in the loop ${quoted(loop)}, and is known only inside of it`;
  const isIteration = target.fields.type === 'for-each' && ITERATION_FIELDS.has(path[0] ?? '');
  if (isIteration && (target.id === undefined || !loops.includes(target.id)))
    return `${path[0]} is known only inside of the loop`;
  return undefined;
}
