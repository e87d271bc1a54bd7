import type { Schemas } from '../../../../../api/client';
import { Select } from '../../../../../ui/forms/fields';
import type { Schema } from '../definitions';
import { problemAt } from '../problems';
import { ValueField } from '../value-field';
import { type PartProps, withValue } from './part';

/** A value of any type. */
export const ANY: Schema = { anyOf: [], description: 'A text, a number, or a value of an earlier step' };
const UNARY = ['is_empty', 'is_not_empty'];

/** The condition for a branch. */
export const Condition = ({
  step,
  operators,
  problems,
  onChange,
}: PartProps & { operators: Schemas['WorkflowDefinitions']['operators'] }) => {
  const condition = (step.inputs?.condition ?? {}) as Record<string, unknown>;
  const change = (name: string, value: unknown) =>
    onChange({ inputs: { ...step.inputs, condition: withValue(condition, name, value) } });
  const operator = String(condition.operatorName ?? '');
  return (
    <>
      <ValueField
        label="If this"
        schema={ANY}
        isRequired
        value={condition.left}
        problem={problemAt(problems, 'inputs.condition.left')}
        onChange={(value) => change('left', value)}
      />
      <Select
        label="Is"
        value={operator}
        options={operators.map((name) => [name, name.replaceAll('_', ' ')] as const)}
        onChoose={(name) => {
          const { right, ...rest } = condition;
          const keepsRight = !UNARY.includes(name);
          const next = { ...rest, operatorName: name, ...(keepsRight && { right: right ?? '' }) };
          onChange({ inputs: { ...step.inputs, condition: next } });
        }}
      />
      {!UNARY.includes(operator) && (
        <ValueField
          label="This"
          schema={ANY}
          isRequired
          value={condition.right}
          problem={problemAt(problems, 'inputs.condition.right')}
          onChange={(value) => change('right', value)}
        />
      )}
    </>
  );
};
