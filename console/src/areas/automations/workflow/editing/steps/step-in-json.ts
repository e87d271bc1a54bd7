import { objectIn } from '../../../../../ui/json/json-field';
import { type Block, branchesOf } from '../../blocks';

/** Returns the step in a JSON text, or why a graph cannot show it. The API finds all other problems. */
export function stepIn(text: string): { value: Block } | { problem: string } {
  const parsed = objectIn(text);
  if ('problem' in parsed) return parsed;
  return isStep(parsed.value)
    ? { value: parsed.value }
    : { problem: 'It and the steps in it need id, type and name as texts, and input, inputs and branches as objects' };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isStep(value: unknown): value is Block {
  if (!isRecord(value) || typeof value.id !== 'string' || typeof value.type !== 'string') return false;
  const { name, input, inputs, branches } = value;
  if (name !== undefined && typeof name !== 'string') return false;
  if (![input, inputs, branches].every((part) => part === undefined || isRecord(part))) return false;
  const cases = isRecord(branches) ? branches.cases : undefined;
  if (Array.isArray(cases) && !cases.every(isRecord)) return false;
  return branchesOf(value as unknown as Block).every(({ steps }) => steps.every(isStep));
}
