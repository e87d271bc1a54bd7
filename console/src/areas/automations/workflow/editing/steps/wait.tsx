import { Select } from '../../../../../ui/forms/fields';
import type { Schema } from '../definitions';
import { problemAt } from '../problems';
import { ValueField } from '../value-field';
import type { PartProps } from './part';

const TEXT: Schema = { type: 'string' };

/** How long a wait takes. */
export const Wait = ({ step, problems, onChange }: PartProps) => {
  const { inputs = {} } = step;
  const isUntil = inputs.until !== undefined;
  return (
    <>
      <Select
        label="It waits"
        value={isUntil ? 'until' : 'minutes'}
        options={[
          ['minutes', 'for some minutes'],
          ['until', 'until a time'],
        ]}
        onChoose={(way) => onChange({ inputs: way === 'until' ? { until: '' } : { minutes: 10 } })}
      />
      {isUntil ? (
        <ValueField
          key="until"
          label="Time, such as 2027-01-31T09:00:00Z, or a reference"
          schema={TEXT}
          isRequired
          value={inputs.until}
          problem={problemAt(problems, 'inputs')}
          onChange={(until) => onChange({ inputs: { until } })}
        />
      ) : (
        <ValueField
          key="minutes"
          label="Minutes"
          schema={{ type: 'number' }}
          isRequired
          value={inputs.minutes}
          problem={problemAt(problems, 'inputs')}
          onChange={(minutes) => onChange({ inputs: { minutes } })}
        />
      )}
    </>
  );
};
