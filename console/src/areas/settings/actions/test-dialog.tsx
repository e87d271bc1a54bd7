import { type SubmitEvent, useState } from 'react';
import { ApiError, api, dataOf, type Schemas } from '../../../api/client';
import { Dialog } from '../../../ui/dialogs/dialog';
import { FIELD, Field } from '../../../ui/forms/fields';
import { FormEnd } from '../../../ui/forms/form-end';
import { useIntentKey } from '../../../ui/intent-key';
import { JsonField } from '../../../ui/json/json-field';
import { JsonView } from '../../../ui/json/json-view';
import { Chip } from '../../../ui/parts';
import { useChange } from '../frame/use-change';
import { bodyInputOf, type InputField, inputOf, jsonOf, parametersInputOf, parametersOf } from './payload';

type Action = Schemas['Action'];

const INPUT_TYPES = { string: 'text', number: 'number', integer: 'number' } as const;
const LAST_GOOD_STATUS = 299;

const CONFLICT = 409;
const SERVER_ERROR = 500;

/** Whether the API has told the outcome of a call. Otherwise it may be under way, or made. */
const isAnswer = (error: unknown): boolean =>
  error instanceof ApiError && error.status < SERVER_ERROR && error.status !== CONFLICT;

/** Calls an action with written values, and shows what came back. */
export const TestDialog = ({ action, onClose }: { action: Action; onClose: () => void }) => {
  const input = inputOf(action.payload);
  const isWritten = input === undefined || input.bodySchema !== undefined;
  const fields = input?.fields ?? [];
  const [texts, setTexts] = useState<string[]>(fields.map(() => ''));
  const { isRequired, names } = input === undefined ? parametersInputOf(action.payload) : bodyInputOf(action.payload);
  const [json, setJson] = useState(isRequired ? '{}' : '');
  const { keyFor, forget } = useIntentKey();
  const call = useChange(
    async (): Promise<Schemas['TestedAction']> => {
      const parameters =
        input === undefined ? jsonOf(json, 'The text') : parametersOf(fields, texts, bodyIn(isWritten, json));
      const header = { 'idempotency-key': keyFor(JSON.stringify(parameters)) };
      const params = { path: { id: action.id }, header };
      try {
        const answer = await dataOf(api.POST('/actions/{id}/test', { params, body: { parameters } }));
        forget();
        return answer;
      } catch (error) {
        if (isAnswer(error)) forget();
        throw error;
      }
    },
    { stale: [] },
  );
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    call.mutate(undefined);
  };
  return (
    <Dialog title={`Test ${action.name}`} onClose={onClose} className="w-[40rem]">
      <form onSubmit={onSubmit} className="space-y-4">
        <p className="rounded-md bg-warn p-3 break-words text-warn-text">
          This is a real call of {action.request_type} {action.api_endpoint}.
        </p>
        {fields.map((field, n) => (
          <Field key={`${field.place} ${field.name}`} label={`${field.name}${field.isRequired ? '' : ' (optional)'}`}>
            <TextOf field={field} text={texts[n] ?? ''} onChange={(text) => setTexts(texts.with(n, text))} />
          </Field>
        ))}
        {isWritten && (
          <JsonField
            label={input === undefined ? 'Parameters, as JSON' : 'Body, as JSON'}
            hint={names.length > 0 ? `It has to have ${names.join(', ')}. A shared value counts.` : undefined}
            isRequired={isRequired}
            text={json}
            onChange={setJson}
          />
        )}
        <FormEnd request={call}>{call.isPending ? 'Calling' : 'Call it'}</FormEnd>
        <section aria-label="The answer" aria-live="polite" className="space-y-2">
          {call.data !== undefined && <Answer answer={call.data} />}
        </section>
      </form>
    </Dialog>
  );
};

const bodyIn = (isWritten: boolean, json: string): unknown =>
  isWritten && json.trim() !== '' ? jsonOf(json, 'The body') : undefined;

const TextOf = ({ field, text, onChange }: { field: InputField; text: string; onChange: (text: string) => void }) =>
  field.type === 'boolean' ? (
    <select
      required={field.isRequired}
      value={text}
      onChange={({ target }) => onChange(target.value)}
      className={FIELD}
    >
      <option value="">–</option>
      <option value="true">true</option>
      <option value="false">false</option>
    </select>
  ) : (
    <input
      type={INPUT_TYPES[field.type]}
      step={field.type === 'number' ? 'any' : undefined}
      required={field.isRequired}
      value={text}
      onChange={({ target }) => onChange(target.value)}
      className={FIELD}
    />
  );

const Answer = ({ answer: { status, duration_ms, headers, body } }: { answer: Schemas['TestedAction'] }) => (
  <>
    <p className="flex items-center gap-2">
      <Chip tone={status <= LAST_GOOD_STATUS ? 'good' : 'bad'}>{status}</Chip>
      <span className="text-quiet">after {duration_ms.toLocaleString()} ms</span>
    </p>
    <JsonView title="Body" value={body} />
    <JsonView title="Headers" value={headers} />
  </>
);
