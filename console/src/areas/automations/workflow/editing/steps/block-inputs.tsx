import { Select } from '../../../../../ui/forms/fields';
import type { Definitions, Schema } from '../definitions';
import { problemAt } from '../problems';
import { ValueField } from '../value-field';
import { Cases } from './cases';
import { ANY, Condition } from './condition';
import { type PartProps, withValue } from './part';
import { Wait } from './wait';

const JSON_LOGIC: Schema = { description: 'Such as {"==": [{"var": "contact.email"}, "ann@example.com"]}' };

/** The inputs of a block, by its type. */
export const BlockInputs = ({ step, definitions, problems, onChange }: PartProps & { definitions: Definitions }) => {
  const { inputs = {} } = step;
  const field = (name: string, label: string, schema = ANY, isRequired = true) => (
    <ValueField
      key={name}
      label={label}
      schema={schema}
      isRequired={isRequired}
      value={inputs[name]}
      problem={problemAt(problems, `inputs.${name}`)}
      onChange={(value) => onChange({ inputs: withValue(inputs, name, value) })}
    />
  );
  switch (step.type) {
    case 'if-else':
      return <Condition step={step} operators={definitions.operators} problems={problems} onChange={onChange} />;
    case 'switch':
      return (
        <>
          {field('value', 'The value that is compared')}
          <Cases step={step} problems={problems} onChange={onChange} />
        </>
      );
    case 'for-each':
      return field('items', 'The list, or a reference to one');
    case 'wait':
      return <Wait step={step} problems={problems} onChange={onChange} />;
    case 'wait-for-event':
      return (
        <>
          <Select
            label="Event"
            value={String(inputs.trigger_type ?? '')}
            options={definitions.triggers.map(({ type, title }) => [type, title] as const)}
            onChoose={(trigger_type) => onChange({ inputs: { ...inputs, trigger_type } })}
          />
          {field('timeout_minutes', 'Minutes it waits at most', { type: 'number' })}
          {field('constraint', 'Which event, as JSON Logic', JSON_LOGIC, false)}
        </>
      );
    default:
      return null;
  }
};
