import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Schemas } from '../../../../api/client';
import { actionsQuery } from '../../../../api/settings';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog';
import { FIELD, Field, Select } from '../../../../ui/forms/fields';
import { JsonField, objectIn, writtenJson } from '../../../../ui/json/json-field';
import { Button } from '../../../../ui/parts';
import { type Block, branchesOf } from '../blocks';
import { type Definitions, plainOf, resolved, type Schema } from './definitions';
import { problemAt } from './problems';
import { ValueField } from './value-field';

interface StepProps {
  step: Block;
  definitions: Definitions;
  /** What the API says is wrong with it: input.url: is missing. */
  problems: string[];
  onChange: (step: Block) => void;
  /** Gets a step that was written as a whole. */
  onReplace: (step: Block) => void;
  /** Gets whether there is a text of the step that is not taken. */
  onText: (hasText: boolean) => void;
}

const ANY: Schema = { anyOf: [], description: 'A text, a number, or a value of an earlier step' };
const CONSTANT: Schema = { anyOf: [], description: 'A text or a number' };
const JSON_LOGIC: Schema = { description: 'Such as {"==": [{"var": "contact.email"}, "ann@example.com"]}' };
const TEXT: Schema = { type: 'string' };

/** The form of a step: its name, what it gets, and what it does if it fails. */
export const StepForm = ({ step, definitions, problems, onChange, onReplace, onText }: StepProps) => {
  const action = definitions.actions.find(({ type }) => type === step.type);
  const kind = action ?? definitions.blocks.find(({ type }) => type === step.type);
  const change = (changes: Partial<Block>) => onChange({ ...step, ...changes });
  return (
    <div className="space-y-4">
      <p className="text-xs text-quiet">{plainOf(kind?.description ?? '')}</p>
      {step.$kind === 'Action' && (
        <Field label="Name">
          <input
            value={step.name ?? ''}
            maxLength={255}
            onChange={({ target }) => change({ name: target.value })}
            className={FIELD}
          />
        </Field>
      )}
      <Field label="Id, by which later steps name its output">
        <input
          value={step.id}
          maxLength={100}
          spellCheck={false}
          onChange={({ target }) => change({ id: target.value })}
          className={`${FIELD} font-mono text-xs`}
        />
      </Field>
      {action !== undefined && (
        <ActionInput step={step} schema={action.input as Schema} problems={problems} onChange={change} />
      )}
      {step.$kind === 'Block' && (
        <BlockInputs step={step} definitions={definitions} problems={problems} onChange={change} />
      )}
      {step.$kind === 'Action' && <Failing step={step} onChange={change} />}
      <AsJson step={step} onReplace={onReplace} onText={onText} />
    </div>
  );
};

interface PartProps {
  step: Block;
  problems: string[];
  onChange: (changes: Partial<Block>) => void;
}

const without = (values: Record<string, unknown>, name: string, value: unknown) => {
  const { [name]: _, ...rest } = values;
  return value === undefined ? rest : { ...values, [name]: value };
};

const ActionInput = ({ step, schema, problems, onChange }: PartProps & { schema: Schema }) => {
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
      onChange={(value) => onChange({ input: without(input, name, value) })}
    />
  ));
};

const UNARY = ['is_empty', 'is_not_empty'];

const BlockInputs = ({ step, definitions, problems, onChange }: PartProps & { definitions: Definitions }) => {
  const { inputs = {} } = step;
  const field = (name: string, label: string, schema = ANY, isRequired = true) => (
    <ValueField
      key={name}
      label={label}
      schema={schema}
      isRequired={isRequired}
      value={inputs[name]}
      problem={problemAt(problems, `inputs.${name}`)}
      onChange={(value) => onChange({ inputs: without(inputs, name, value) })}
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

const Condition = ({
  step,
  operators,
  problems,
  onChange,
}: PartProps & { operators: Schemas['WorkflowDefinitions']['operators'] }) => {
  const condition = (step.inputs?.condition ?? {}) as Record<string, unknown>;
  const change = (name: string, value: unknown) =>
    onChange({ inputs: { ...step.inputs, condition: without(condition, name, value) } });
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

interface Case {
  equals: unknown;
  steps: unknown;
}

const Cases = ({ step, problems, onChange }: PartProps) => {
  const { branches = {} } = step;
  const cases = (Array.isArray(branches.cases) ? branches.cases : []) as Case[];
  const [asked, ask] = useState<number>();
  const change = (next: Case[]) => onChange({ branches: { ...branches, cases: next } });
  const remove = (n: number) => change(cases.toSpliced(n, 1));
  const hasSteps = ({ steps }: Case) => Array.isArray(steps) && steps.length > 0;
  return (
    <fieldset className="space-y-3">
      <legend className="mb-1 text-xs text-quiet">Cases, in their order</legend>
      {cases.map((one, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two cases may have the same value while they are written
        <div key={n} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <ValueField
              label={`Case ${n + 1}: equal to`}
              schema={CONSTANT}
              isRequired
              value={one.equals}
              problem={problemAt(problems, `branches.cases.${n}`)}
              onChange={(equals) => change(cases.with(n, { ...one, equals }))}
            />
          </div>
          <Button
            look="quiet"
            className="mt-5"
            aria-label={`Remove case ${n + 1}`}
            disabled={cases.length === 1}
            onClick={() => (hasSteps(one) ? ask(n) : remove(n))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button onClick={() => change([...cases, { equals: '', steps: [] }])}>Add a case</Button>
      {asked !== undefined && (
        <ConfirmDialog
          title={`Remove case ${asked + 1}?`}
          action="Remove it"
          onConfirm={() => remove(asked)}
          onClose={() => ask(undefined)}
        >
          Its steps are removed with it.
        </ConfirmDialog>
      )}
    </fieldset>
  );
};

const Wait = ({ step, problems, onChange }: PartProps) => {
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

const ATTEMPTS = Array.from({ length: 10 }, (_, n) => `${n + 1}`);
const USUAL_ATTEMPTS = 3;

const Failing = ({ step, onChange }: Omit<PartProps, 'problems'>) => (
  <div className="grid grid-cols-2 gap-3">
    <Select
      label="Attempts"
      value={`${step.retry?.attempts ?? USUAL_ATTEMPTS}`}
      options={ATTEMPTS.map((count) => [count, count] as const)}
      onChoose={(count) => onChange({ retry: { attempts: Number(count) } })}
    />
    <Select
      label="If the last one fails"
      value={step.on_error ?? 'fail'}
      options={[
        ['fail', 'the run fails'],
        ['continue', 'the run continues'],
      ]}
      onChoose={(on_error) => onChange({ on_error })}
    />
  </div>
);

/** Returns the step that a text is as JSON, or why a graph cannot show it. What else is wrong the API says. */
function stepIn(text: string): { value: Block } | { problem: string } {
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

/** All of a step as JSON, for what the fields do not show. It follows the step until something is written. */
const AsJson = ({ step, onReplace, onText }: Pick<StepProps, 'step' | 'onReplace' | 'onText'>) => {
  const [isOpen, setOpen] = useState(false);
  const [written, write] = useState<{ text: string; of: string }>();
  const now = writtenJson(step);
  const text = written?.text ?? now;
  const read = stepIn(text);
  const isWritten = written !== undefined;
  useEffect(() => {
    onText(isWritten);
    return () => onText(false);
  }, [isWritten, onText]);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit cursor-pointer text-xs text-quiet hover:text-text">
        The step as JSON{isWritten && ', not taken'}
      </summary>
      {isOpen && (
        <div className="mt-2 space-y-2">
          <JsonField
            label={`Step ${step.id}, as JSON`}
            text={text}
            problem={'problem' in read ? read.problem : undefined}
            onChange={(text) => write(text === now ? undefined : { text, of: written?.of ?? now })}
          />
          {isWritten && written.of !== now && (
            <p role="status" className="text-xs text-warn-text">
              The step has changed since this was begun. Taking this drops that change.
            </p>
          )}
          <div className="flex gap-2">
            <Button disabled={!('value' in read)} onClick={() => 'value' in read && onReplace(read.value)}>
              Take this
            </Button>
            {isWritten && (
              <Button look="quiet" onClick={() => write(undefined)}>
                Drop this
              </Button>
            )}
          </div>
        </div>
      )}
    </details>
  );
};
