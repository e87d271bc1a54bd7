import type { Block } from '../../blocks';

/** What a part of the form of a step gets. */
export interface PartProps {
  step: Block;
  problems: string[];
  onChange: (changes: Partial<Block>) => void;
}

/** Returns the values with one set, or left out where it is undefined. */
export const withValue = (values: Record<string, unknown>, name: string, value: unknown) => {
  const { [name]: _, ...rest } = values;
  return value === undefined ? rest : { ...values, [name]: value };
};
