/** A step of a workflow, as the API answers it. */
export interface Block {
  $kind: 'Action' | 'Block';
  id: string;
  type: string;
  name?: string;
  input?: Record<string, unknown>;
  inputs?: Record<string, unknown>;
  branches?: Record<string, unknown>;
  retry?: { attempts: number };
  on_error?: 'fail' | 'continue';
}

export interface Branch {
  label: string;
  steps: Block[];
}

const stepsOf = (value: unknown): Block[] => (Array.isArray(value) ? (value as Block[]) : []);

/** Returns the branches of a block in the order in which they are read. */
export function branchesOf({ type, branches = {} }: Block): Branch[] {
  switch (type) {
    case 'if-else':
      return [
        { label: 'then', steps: stepsOf(branches.then) },
        { label: 'else', steps: stepsOf(branches.else) },
      ];
    case 'switch': {
      const cases = Array.isArray(branches.cases) ? (branches.cases as { equals: unknown; steps: unknown }[]) : [];
      return [
        ...cases.map(({ equals, steps }) => ({ label: shown(equals), steps: stepsOf(steps) })),
        { label: 'default', steps: stepsOf(branches.default) },
      ];
    }
    case 'for-each':
      return [{ label: 'for each', steps: stepsOf(branches.do) }];
    default:
      return [];
  }
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Returns what a block does, in one line. */
export function summaryOf({ type, inputs = {}, input = {} }: Block): string {
  switch (type) {
    case 'if-else': {
      const { left, operatorName, right } = (inputs.condition ?? {}) as Record<string, unknown>;
      return [shown(left), String(operatorName).replaceAll('_', ' '), right === undefined ? '' : shown(right)]
        .join(' ')
        .trim();
    }
    case 'switch':
      return shown(inputs.value);
    case 'for-each':
      return shown(inputs.items);
    case 'wait':
      return inputs.until === undefined ? `${shown(inputs.minutes)} minutes` : `until ${shown(inputs.until)}`;
    case 'wait-for-event':
      return `${shown(inputs.trigger_type)}, at most ${shown(inputs.timeout_minutes)} minutes`;
    default:
      return Object.entries(input)
        .map(([name, value]) => `${name}: ${shown(value)}`)
        .join(' · ');
  }
}
