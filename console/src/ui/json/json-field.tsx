import { useId } from 'react';
import { slipIn } from './json-slip';

interface FieldProps {
  label: string;
  hint?: string | undefined;
  text: string;
  /** Whether it may stay empty, if that is to be said. */
  isRequired?: boolean;
  /** What is wrong with it. */
  problem?: string | undefined;
  onChange: (text: string) => void;
}

/** JSON that is written by hand. */
export const JsonField = ({ label, hint, text, isRequired, problem, onChange }: FieldProps) => {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="text-xs text-quiet">
        {label}
        {isRequired === false && ' (optional)'}
      </label>
      <textarea
        id={id}
        value={text}
        required={isRequired === true}
        spellCheck={false}
        rows={Math.min(Math.max(text.split('\n').length, 4), 16)}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        onChange={({ target }) => onChange(target.value)}
        className="mt-1 block w-full rounded-md border border-line bg-page p-2 font-mono text-xs aria-invalid:border-bad-text"
      />
      <p
        id={`${id}-problem`}
        role="status"
        className={`mt-1 text-xs break-words ${problem === undefined ? 'text-quiet' : 'text-bad-text'}`}
      >
        {problem ?? hint}
      </p>
    </div>
  );
};

/** Returns the object in a JSON text, or the problem with the text. */
export function objectIn(text: string): { value: Record<string, unknown> } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { value: value as Record<string, unknown> }
      : { problem: 'It has to be an object: { … }' };
  } catch {
    return { problem: slipIn(text) };
  }
}

/** Returns a value as people edit it. */
export const writtenJson = (value: unknown): string => JSON.stringify(value ?? {}, null, 2);
