import { type Reference, referencesIn } from './references.rules.ts';
import { type FoundStep, shown } from './validation-steps.ts';

const MOST_REFERENCES = 2_000;
/** What a loop has only while it goes on. */
const OF_ITERATIONS = new Set(['item', 'index']);

/** What is wrong with a step's references: each is to the trigger or a step before, and of loops to what is seen from here. */
export function problemsOfReferences(steps: FoundStep[]): string[][] {
  const places = new Map<string, number>();
  for (const [place, { id }] of steps.entries()) if (id !== undefined && !places.has(id)) places.set(id, place);
  return steps.map(({ fields, loops }, place) => {
    const references = referencesIn(fields.$kind === 'Action' ? fields.input : fields.inputs);
    if (references.length > MOST_REFERENCES) return [`must have at most ${MOST_REFERENCES} references`];
    const problems = references.flatMap((reference) => {
      const at = reference.step === 'trigger' ? undefined : places.get(reference.step);
      const problem =
        reference.step === 'trigger'
          ? undefined
          : at === undefined
            ? 'there is no such step'
            : problemAt(reference, steps[at] as FoundStep, at - place, loops);
      return problem === undefined ? [] : [`refers to ${shown(reference.step)}: ${problem}`];
    });
    return [...new Set(problems)];
  });
}

function problemAt({ path }: Reference, target: FoundStep, distance: number, loops: string[]): string | undefined {
  if (distance === 0) return 'a step cannot refer to itself';
  if (distance > 0) return 'that step comes later';
  const loop = target.loops.find((around) => !loops.includes(around));
  if (loop !== undefined) return `that step is in the loop ${shown(loop)}, and is known only inside of it`;
  const isIteration = target.fields.type === 'for-each' && OF_ITERATIONS.has(path[0] ?? '');
  if (isIteration && !loops.includes(target.id as string)) return `${path[0]} is known only inside of the loop`;
  return undefined;
}
