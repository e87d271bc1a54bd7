import { useQuery } from '@tanstack/react-query';
import { actionsQuery } from '../../../../../api/settings';
import { resolved, type Schema } from '../definitions';
import { problemAt } from '../problems';
import { ValueField } from '../value-field';
import { type PartProps, withValue } from './part';

interface InputProps extends Omit<PartProps, 'step'> {
  step: Pick<PartProps['step'], 'input'>;
  schema: Schema;
  /** Gets texts that are not JSON, by the name of their value. Given for literal values, without references. */
  onSlip?: (name: string, slip: string | undefined) => void;
}

/** The input of an action, a field for each of its values. */
export const ActionInput = ({ step, schema, problems, onChange, onSlip }: InputProps) => {
  const { input = {} } = step;
  const isByAction = schema.properties?.action_id !== undefined;
  const actions = useQuery({ ...actionsQuery, enabled: isByAction }).data ?? [];
  return Object.entries(schema.properties ?? {}).map(([name, property]) => (
    <ValueField
      key={name}
      label={name}
      schema={resolved(property, schema)}
      choices={name === 'action_id' ? actions.map((one) => [one.id, one.name] as const) : undefined}
      isRequired={schema.required?.includes(name) === true}
      value={input[name]}
      problem={problemAt(problems, `input.${name}`)}
      isLiteral={onSlip !== undefined}
      onSlip={onSlip && ((slip) => onSlip(name, slip))}
      onChange={(value) => onChange({ input: withValue(input, name, value) })}
    />
  ));
};
