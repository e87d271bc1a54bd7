import fc from 'fast-check';
import { type Json, OPERATORS, type Step, TRIGGER_TYPES } from '../../src/automations/blocks/schema.ts';

const MAX_DEPTH = 4;
const MAX_STEPS = 60;
const MAX_AT_TOP = 12;
const MAX_IN_BRANCH = 4;
/** The session of notes that name one. */
export const UUID = '00000000-0000-4000-8000-000000000000';

interface Definition {
  trigger_type: 'manual-trigger';
  workflow_blocks: Step[];
}

/** What a step can refer to: an id, and whether it is a loop around. */
interface Visible {
  id: string;
  isAround?: boolean;
}

/** Definitions with every kind of block, nested and full of references, that validate. They shrink to fewer steps. */
export const definitions = (): fc.Arbitrary<Definition> =>
  fc
    .array(fc.nat(9_999), { minLength: 1, maxLength: 400, size: 'max' })
    .map((choices) => ({ trigger_type: 'manual-trigger', workflow_blocks: build(choices) }));

function build(choices: number[]): Step[] {
  let at = 0;
  let count = 0;
  /** One of so many; 0 once there is nothing left to choose by, which ends lists. */
  const choose = (many: number): number => (choices[at++] ?? 0) % many;
  const pick = <T>(items: readonly T[]): T => items[choose(items.length)] as T;

  const reference = (seen: Visible[]): string => {
    const { id, isAround = false } = pick([{ id: 'trigger' }, ...seen]) as Visible;
    if (isAround) return `{{${id}.output.${pick(['item', 'item.name', 'index', 'count'])}}}`;
    return `{{${id}.${pick(['output', 'output.items', 'output.items.0.name', 'anything', ' output . a '])}}}`;
  };
  const value = (seen: Visible[]): Json => {
    const ref = reference(seen);
    return pick<Json>([ref, `so ${ref} and ${ref}`, 7, 'text', null, [ref, 1], { key: ref }, '{{', '{{}}', '}}{{ {{']);
  };

  const action = (id: string, seen: Visible[]): Step => {
    const more = pick([{}, { on_error: 'continue' as const }, { on_error: 'fail' as const, retry: { attempts: 2 } }]);
    const common = { $kind: 'Action' as const, id, name: `Step ${id}`, ...more };
    return pick<Step>([
      {
        ...common,
        type: 'add-note',
        input: { session_id: pick([UUID, reference(seen)]), text: `Note ${reference(seen)}` },
      },
      { ...common, type: 'tag-ticket', input: { session_id: reference(seen), tags: [reference(seen), 'refund'] } },
      { ...common, type: 'send-webhook', input: { url: 'https://example.com/hook', body: { of: value(seen) } } },
    ]);
  };

  const block = (id: string, seen: Visible[], depth: number): Step => {
    switch (choose(5)) {
      case 0: {
        const left = value(seen);
        const condition = { operatorName: pick(OPERATORS), left, right: value(seen) };
        // biome-ignore lint/suspicious/noThenProperty: the name of the field in the API, in what nobody awaits
        const branches = { then: list(seen, depth + 1), else: list(seen, depth + 1) };
        return { $kind: 'Block', type: 'if-else', id, inputs: { condition }, branches };
      }
      case 1: {
        const inputs = { value: value(seen) };
        const cases = [
          { equals: 'text', steps: list(seen, depth + 1) },
          { equals: 7, steps: list(seen, depth + 1) },
        ];
        return { $kind: 'Block', type: 'switch', id, inputs, branches: { cases, default: list(seen, depth + 1) } };
      }
      case 2: {
        const items = pick<Json>([['a', { name: 'b' }], [], [1, 2, 3], '{{trigger.output.items}}']);
        const branches = { do: list([...seen, { id, isAround: true }], depth + 1) };
        return { $kind: 'Block', type: 'for-each', id, inputs: { items }, branches };
      }
      case 3: {
        const inputs = pick([{ minutes: choose(2_000) }, { until: '2026-01-31T12:00:00Z' }, { minutes: 0.5 }]);
        return { $kind: 'Block', type: 'wait', id, inputs };
      }
      default: {
        const constraint: Json = pick<Json>([null, { '==': [{ var: 'session.id' }, reference(seen)] }]);
        const inputs = { trigger_type: pick(TRIGGER_TYPES), constraint, timeout_minutes: choose(100) };
        return { $kind: 'Block', type: 'wait-for-event', id, inputs };
      }
    }
  };

  /** What comes later in the list sees all that came before, but what is inside of loops that are not around it. */
  const list = (around: Visible[], depth: number): Step[] => {
    const steps: Step[] = [];
    const seen = [...around];
    const most = depth === 0 ? MAX_AT_TOP : MAX_IN_BRANCH;
    for (let length = choose(most + 1); length > 0 && count < MAX_STEPS; length--) {
      const id = `s${++count}${pick(['', '-x', '_y'])}`;
      const step = depth < MAX_DEPTH && choose(2) === 1 ? block(id, seen, depth) : action(id, seen);
      steps.push(step);
      seen.push(...idsIn(step).map((known) => ({ id: known })));
    }
    return steps;
  };
  return list([], 0);
}

/** The ids of a step and of what is in it, without what is in loops. */
function idsIn(step: Step): string[] {
  if (step.$kind === 'Action' || step.type === 'wait' || step.type === 'wait-for-event' || step.type === 'for-each')
    return [step.id];
  const inner =
    step.type === 'if-else'
      ? [...step.branches.then, ...(step.branches.else ?? [])]
      : [...step.branches.cases.flatMap(({ steps }) => steps), ...(step.branches.default ?? [])];
  return [step.id, ...inner.flatMap(idsIn)];
}
