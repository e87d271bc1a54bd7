import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { definitionsQuery, type RunStep } from '../../../api/runs';
import { problemsOf, restOf } from '../../../ui/forms/problems';
import { JsonField, objectIn, writtenJson } from '../../../ui/json/json-field';
import { Skeleton } from '../../../ui/parts';
import { isSame } from '../../../ui/same';
import type { Schema } from '../workflow/editing/definitions';
import { ActionInput } from '../workflow/editing/steps/action-input';

type Input = Record<string, unknown>;

/** The input of a step that is retried, as it is written: by the fields of its action, or whole as JSON. */
export function useRetryInput({ input: given, type }: RunStep) {
  const definitions = useQuery(definitionsQuery);
  const [text, setText] = useState<string>();
  const [input, setInput] = useState<Input>((given ?? {}) as Input);
  const schema = definitions.data?.actions.find((action) => action.type === type)?.input as Schema | undefined;
  const written = text === undefined ? undefined : objectIn(text);
  const slip = written !== undefined && 'problem' in written ? written.problem : undefined;
  return {
    schema,
    isPending: definitions.isPending,
    input,
    text: text ?? writtenJson(input),
    /** What is wrong with the JSON. */
    slip,
    isChanged: slip !== undefined || !isSame(input, given ?? {}),
    change: (changed: Input) => {
      setText(undefined);
      setInput(changed);
    },
    write: (json: string) => {
      const read = objectIn(json);
      setText(json);
      if ('value' in read) setInput(read.value);
    },
    /** Returns what an error says that no field shows. */
    restOf: (error: Error | null) =>
      restOf(
        error,
        Object.keys(schema?.properties ?? {}).map((name) => `input.${name}`),
      ),
  };
}

interface InputProps {
  written: ReturnType<typeof useRetryInput>;
  /** Why the API refused the input. */
  error: Error | null;
}

/** The fields of the input as the editor of workflows has them, and all of it as JSON for what they do not show. */
export const RetryInput = ({ written, error }: InputProps) => {
  const { schema, isPending, input, text, slip } = written;
  const [isOpen, setOpen] = useState(false);
  if (isPending) return <Skeleton rows={3} />;
  const json = <JsonField label="Input, as JSON" text={text} problem={slip} onChange={written.write} />;
  if (schema === undefined) return json;
  return (
    <>
      <fieldset disabled={slip !== undefined} className="space-y-4">
        <legend className="sr-only">Input</legend>
        <ActionInput
          step={{ input }}
          schema={schema}
          problems={problemsOf(error).map(({ path, message }) => `${path}: ${message}`)}
          onChange={(changes) => written.change(changes.input ?? {})}
        />
      </fieldset>
      <details open={isOpen || slip !== undefined} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="w-fit cursor-pointer text-xs text-quiet hover:text-text">The input as JSON</summary>
        {(isOpen || slip !== undefined) && <div className="mt-2">{json}</div>}
      </details>
    </>
  );
};
