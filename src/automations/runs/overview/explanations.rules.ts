import { branchesOf } from '../../blocks/branches.rules.ts';
import type { IfElseBlock, Json, Operator, Step, SwitchBlock } from '../../blocks/schema.ts';
import { fieldsOf } from '../../json.rules.ts';
import { maskCredentials } from '../../masking.rules.ts';
import type { RunStatus } from '../table.ts';

/** Why a block took a branch: the condition with its values. */
export interface BranchReason {
  branch: string;
  operator: Operator;
  left: Json;
  right: Json;
}

/** Returns why an evaluated `if-else` or `switch` took its branch, by its stored input and output. */
export function branchReasonOf(
  step: Step | undefined,
  { input, output }: { input: Json; output: Json },
): BranchReason | null {
  if (output === null || step?.$kind !== 'Block') return null;
  if (step.type === 'if-else') return reasonOfCondition(step, fieldsOf(input), fieldsOf(output));
  return step.type === 'switch' ? reasonOfSwitch(step, fieldsOf(input), fieldsOf(output)) : null;
}

type Fields = { [key: string]: Json };

function reasonOfCondition({ inputs }: IfElseBlock, { condition }: Fields, { result }: Fields): BranchReason {
  const { left = null, right = null } = fieldsOf(condition);
  const branch = result === true ? 'then' : 'else';
  return { branch, operator: inputs.condition.operatorName, left: shown(left), right: shown(right) };
}

function reasonOfSwitch({ branches }: SwitchBlock, { value = null }: Fields, { case: nth }: Fields): BranchReason {
  const right = typeof nth === 'number' ? (branches.cases[nth]?.equals ?? null) : null;
  const branch = typeof nth === 'number' ? `case.${nth}` : 'default';
  return { branch, operator: 'equals', left: shown(value), right: shown(right) };
}

const shown = (value: Json): Json => maskCredentials(value);

/** A step of a definition that a run did not come to. */
export interface UnreachedStep {
  id: string;
  type: string;
  name: string | null;
  because: string;
}

const ENDS: Record<Exclude<RunStatus, 'idle' | 'in_progress'>, string> = {
  completed: 'The run ended before it',
  failed: 'The run failed before it',
  canceled: 'The run was canceled before it',
};

/** How far a run came: the ids of the steps that it reached, and of the one at which it failed. */
export interface Reach {
  status: RunStatus;
  reached: ReadonlySet<string>;
  failedAt: string | undefined;
}

/** Returns the steps of a definition that an ended run did not come to, each with the reason, in document order. */
export function unreachedSteps(blocks: readonly Step[], { status, reached, failedAt }: Reach): UnreachedStep[] {
  if (status === 'idle' || status === 'in_progress') return [];
  const found: UnreachedStep[] = [];
  const walk = (steps: readonly Step[], because: string) => {
    for (const step of steps) {
      const isReached = reached.has(step.id);
      if (!isReached) found.push({ id: step.id, type: step.type, name: nameOf(step), because });
      const inner = isReached && step.id !== failedAt ? reasonInside(step) : because;
      for (const branch of branchesOf(step)) {
        const isTaken = branch.steps.some(({ id }) => reached.has(id));
        walk(branch.steps, isTaken ? ENDS[status] : inner);
      }
    }
  };
  walk(blocks, ENDS[status]);
  return found;
}

const nameOf = (step: Step): string | null => (step.$kind === 'Action' ? step.name : null);

const reasonInside = ({ id, type }: Step): string =>
  type === 'for-each' ? `The list of ${id} was empty` : `${id} took another branch`;
