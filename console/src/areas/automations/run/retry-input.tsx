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
  const [slips, setSlips] = useState<Record<string, string | undefined>>({});
  const [input, setInput] = useState<Input>((given ?? {}) as Input);
  const schema = definitions.data?.actions.find((action) => action.type === type)?.input as Schema | undefined;
  const written = text === undefined ? undefined : objectIn(text);
  const wholeSlip = written !== undefined && 'problem' in written ? written.problem : undefined;
  const [field] = Object.entries(slips).flatMap(([name, slip]) => (slip === undefined ? [] : [`${name}: ${slip}`]));
  const slip = wholeSlip ?? field;
  return {
    schema,
    isPending: definitions.isPending,
    input,
    text: text ?? writtenJson(input),
    /** What is wrong with the JSON as a whole. */
    wholeSlip,
    /** The problem with it, or with the JSON of a field. */
    slip,
    noteSlip: (name: string, slip: string | undefined) => setSlips((known) => ({ ...known, [name]: slip })),
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
    /** Returns the words of an error beyond those at the fields. */
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
  const { schema, isPending, input, text, slip, wholeSlip } = written;
  const isWholeWrong = wholeSlip !== undefined;
  const [isOpen, setOpen] = useState(false);
  if (isPending) return <Skeleton rows={3} />;
  const json = <JsonField label="Input, as JSON" text={text} problem={wholeSlip} onChange={written.write} />;
  if (schema === undefined) return json;
  return (
    <>
      <fieldset disabled={isWholeWrong} className="space-y-4">
        <legend className="sr-only">Input</legend>
        <ActionInput
          step={{ input }}
          schema={schema}
          problems={problemsOf(error).map(({ path, message }) => `${path}: ${message}`)}
          onChange={(changes) => written.change(changes.input ?? {})}
          onSlip={written.noteSlip}
        />
      </fieldset>
      <details open={isOpen || isWholeWrong} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="w-fit cursor-pointer text-xs text-quiet hover:text-text">The input as JSON</summary>
        {(isOpen || isWholeWrong) && (
          <fieldset disabled={slip !== undefined && !isWholeWrong} className="mt-2">
            <legend className="sr-only">The input as JSON</legend>
            {json}
          </fieldset>
        )}
      </details>
    </>
  );
};
