import { useId } from 'react';
import { FIELD, Field, Select } from '../../../../ui/forms/fields';
import { type Definitions, resolved, type Schema } from './definitions';
import { problemAt } from './problems';
import { withValue } from './steps/part';
import type { Draft } from './use-draft';
import { ValueField } from './value-field';

interface TriggerProps {
  draft: Draft;
  definitions: Definitions;
  problems: string[];
  /** Whether it is said that the name is missing. */
  isNameAsked: boolean;
  onChange: (changes: Partial<Draft>) => void;
}

/** The form of a workflow: its name, its trigger, and the conditions on the trigger's events. */
export const TriggerForm = ({ draft, definitions, problems, isNameAsked, onChange }: TriggerProps) => {
  const trigger = definitions.triggers.find(({ type }) => type === draft.trigger_type);
  const schema = (trigger?.configuration ?? undefined) as Schema | undefined;
  const configuration = (draft.trigger_configuration ?? {}) as Record<string, unknown>;
  const changeOf = (name: string) => (value: unknown) => {
    const next = withValue(configuration, name, value);
    onChange({ trigger_configuration: Object.keys(next).length === 0 ? undefined : next });
  };
  const nameNote = useId();
  return (
    <div className="space-y-4">
      <div>
        <Field label="Name">
          <input
            value={draft.name}
            maxLength={255}
            aria-required
            aria-invalid={isNameAsked || undefined}
            aria-describedby={nameNote}
            onChange={({ target }) => onChange({ name: target.value })}
            className={`${FIELD} aria-invalid:border-bad-text`}
          />
        </Field>
        <p id={nameNote} role="status" className="mt-1 text-xs text-bad-text">
          {isNameAsked && 'It needs a name'}
        </p>
      </div>
      <Field label="What it is for (optional)">
        <textarea
          value={draft.description}
          rows={2}
          maxLength={10_000}
          onChange={({ target }) => onChange({ description: target.value })}
          className={`${FIELD} h-auto py-1.5`}
        />
      </Field>
      <Select
        label="A run starts when"
        value={draft.trigger_type}
        options={definitions.triggers.map(({ type, title }) => [type, title] as const)}
        onChoose={(trigger_type) => onChange({ trigger_type, trigger_configuration: undefined })}
      />
      {schema !== undefined &&
        Object.entries(schema.properties ?? {}).map(([name, property]) => (
          <ValueField
            key={`${draft.trigger_type} ${name}`}
            label={name.replaceAll('_', ' ')}
            schema={resolved(property, schema)}
            isRequired={schema.required?.includes(name) === true}
            value={configuration[name]}
            problem={problemAt(problems, `trigger_configuration.${name}`)}
            onChange={changeOf(name)}
          />
        ))}
      <ValueField
        label="Only for events of which this holds, as JSON Logic"
        schema={CONSTRAINTS}
        isRequired={false}
        value={draft.trigger_constraints}
        problem={problemAt(problems, 'trigger_constraints')}
        onChange={(trigger_constraints) => onChange({ trigger_constraints })}
      />
    </div>
  );
};

const CONSTRAINTS: Schema = { description: 'Such as {"==": [{"var": "contact.email"}, "ann@example.com"]}' };
