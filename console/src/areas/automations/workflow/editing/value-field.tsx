import { useId, useState } from 'react';
import { FIELD } from '../../../../ui/forms/fields';
import { slipIn } from '../../../../ui/json/json-slip';
import { isSame } from '../../../../ui/same';
import type { Schema } from './definitions';

interface ValueProps {
  label: string;
  schema: Schema;
  isRequired: boolean;
  value: unknown;
  /** What can be chosen, each under its name. */
  choices?: readonly (readonly [value: string, name: string])[] | undefined;
  /** What the API says is wrong with it. */
  problem?: string | undefined;
  /** Set for values without references: a text that should be JSON and is not leaves the value unchanged. */
  isLiteral?: boolean | undefined;
  /** Undefined where nothing is written. */
  onChange: (value: unknown) => void;
  /** Gets what is wrong with the JSON of a literal value, or undefined once nothing is. */
  onSlip?: ((slip: string | undefined) => void) | undefined;
}

const isText = ({ type, enum: options }: Schema): boolean => type === 'string' && options === undefined;
const isComposed = ({ type, anyOf }: Schema): boolean =>
  type === 'object' || type === 'array' || (type === undefined && anyOf === undefined);

const writtenOf = (value: unknown): string => {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
};

const BOOLEANS = [true, false];

function optionsOf({ enum: values, type }: Schema): [string, string][] | undefined {
  return (values ?? (type === 'boolean' ? BOOLEANS : undefined))?.map((value) => [String(value), String(value)]);
}

/** Returns the problem of a text as JSON. */
function slipOf(text: string, schema: Schema): string | undefined {
  if (text === '' || !isComposed(schema)) return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return slipIn(text);
  }
}

/** Returns the value of a text: parsed as JSON unless a text is expected. Anything else is a text, with references. */
function valueIn(text: string, schema: Schema): unknown {
  if (text === '') return undefined;
  if (isText(schema)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A value of a step, which can have references such as {{trigger.output.session.id}} unless it is literal. */
export const ValueField = ({ label, schema, isRequired, value, choices, isLiteral = false, ...props }: ValueProps) => {
  const id = useId();
  const [written, write] = useState('');
  const wantedIn = (text: string) => valueIn(text, schema) ?? (isRequired ? '' : undefined);
  // What is written stays as it is, such as 1.0, until another value comes from elsewhere.
  const slip = isLiteral ? slipOf(written, schema) : undefined;
  const problem = slip ?? props.problem;
  const stored =
    isLiteral && isComposed(schema) && value !== undefined ? JSON.stringify(value, null, 2) : writtenOf(value);
  const text = slip !== undefined || isSame(wantedIn(written), value) ? written : stored;
  const options = choices ?? optionsOf(schema);
  const change = (text: string) => {
    const slip = isLiteral ? slipOf(text, schema) : undefined;
    write(text);
    props.onSlip?.(slip);
    if (slip === undefined) props.onChange(wantedIn(text));
  };
  const common = {
    id,
    'aria-invalid': problem !== undefined || undefined,
    'aria-describedby': `${id}-note`,
    onChange: ({ target }: { target: { value: string } }) => change(target.value),
  };
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-xs text-quiet">
        {label}
        {!isRequired && ' (optional)'}
      </label>
      {options !== undefined && (text === '' || options.some(([option]) => option === text)) ? (
        <select {...common} value={text} className={FIELD}>
          <option value="">{schema.default === undefined ? '–' : `As usual: ${String(schema.default)}`}</option>
          {options.map(([option, name]) => (
            <option key={option} value={option}>
              {name}
            </option>
          ))}
        </select>
      ) : (
        <textarea
          {...common}
          value={text}
          rows={isComposed(schema) ? 3 : 1}
          spellCheck={isText(schema) && (schema.maxLength ?? 0) > 255}
          className={`block max-h-80 w-full resize-y rounded-md border border-line bg-page px-3 py-2 [field-sizing:content] aria-invalid:border-bad-text ${isComposed(schema) ? 'font-mono text-xs' : ''}`}
        />
      )}
      <p
        id={`${id}-note`}
        className={`mt-1 text-xs break-words ${problem === undefined ? 'text-quiet' : 'text-bad-text'}`}
      >
        {problem ?? noteOf(schema)}
      </p>
    </div>
  );
};

const noteOf = (schema: Schema): string | undefined =>
  schema.description ??
  (isComposed(schema) ? (schema.type === 'array' ? 'A list as JSON: [ … ]' : 'As JSON') : undefined);
