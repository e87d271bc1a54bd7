import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { actionsQuery } from '../../../api/settings';
import { CHANNEL_CHOICES } from '../../../ui/channels';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { FIELD, Field, Select } from '../../../ui/forms/fields';
import { JsonField } from '../../../ui/json/json-field';
import { isSame } from '../../../ui/same';
import { useChange } from '../frame/use-change';
import { FieldRows } from './field-rows';
import { type Input, inputOf, payloadWith } from './payload';

type Action = Schemas['Action'];
type Channel = Action['enabled_on_channel']['channels'][number];

const METHODS = [
  ['GET', 'GET'],
  ['POST', 'POST'],
  ['PUT', 'PUT'],
  ['PATCH', 'PATCH'],
  ['DELETE', 'DELETE'],
] as const;
const CONFIRMATIONS = [
  ['auto', 'Only where the rules ask for it'],
  ['always', 'Before each call'],
] as const;
const SWITCHES = [
  ['requires_verified', 'Only for customers whose identity is verified'],
  ['require_form_submission', 'The customer confirms it in a form'],
  ['read_only', 'It changes nothing, although it is no GET'],
  ['retry_safe', 'It may be sent again: the same Idempotency-Key has one effect'],
  ['pinned', 'The AI always has it in view'],
] as const;

type Written = Pick<Action, 'name' | 'api_endpoint' | 'request_type' | 'confirm' | (typeof SWITCHES)[number][0]> & {
  description: string;
  channels: Channel[];
};

const NEW: Written = {
  name: '',
  description: '',
  api_endpoint: '',
  request_type: 'GET',
  confirm: 'auto',
  requires_verified: false,
  require_form_submission: false,
  read_only: false,
  retry_safe: false,
  pinned: false,
  channels: ['web'],
};

const writtenOf = (action: Action): Written => ({
  ...action,
  description: action.description ?? '',
  channels: action.enabled_on_channel.channels,
});

interface Form {
  written: Written;
  /** What it takes. Undefined: more than rows can show. */
  input: Input | undefined;
}

interface ActionDialogProps {
  /** What is changed. Nothing for a new action. */
  existing: Action | undefined;
  onClose: () => void;
}

/** The form of an action: its call, its parameters for the AI, and its confirmation. */
export const ActionDialog = ({ existing, onClose }: ActionDialogProps) => {
  const [begun] = useState<Form>(() =>
    existing === undefined
      ? { written: NEW, input: { fields: [], bodySchema: undefined } }
      : { written: writtenOf(existing), input: inputOf(existing.payload) },
  );
  const [written, write] = useState(begun.written);
  const [input, setInput] = useState(begun.input);
  const isOfConnection = existing !== undefined && existing.connection !== null;
  const change = (changes: Partial<Written>) => write({ ...written, ...changes });
  const save = useChange(
    async (): Promise<void> => {
      if (existing === undefined) {
        const payload = payloadWith({}, input ?? { fields: [], bodySchema: undefined }, written.request_type);
        const body = { ...bodyOf(written, false), payload } as Schemas['CreateActionPublic'];
        await dataOf(api.POST('/actions', { body }));
      } else await saveChanges(existing.id, begun, { written, input }, isOfConnection);
    },
    { stale: [actionsQuery.queryKey], says: 'Saved' },
  );
  const onSubmit = () => {
    save.mutate(undefined, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title={existing === undefined ? 'New action' : existing.name}
      className="w-[46rem]"
      action={existing === undefined ? 'Create the action' : 'Save'}
      request={save}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Field label="Name">
        <input
          required
          maxLength={255}
          value={written.name}
          onChange={({ target }) => change({ name: target.value })}
          className={FIELD}
        />
      </Field>
      <Field label="When the AI takes it">
        <textarea
          rows={2}
          maxLength={10_000}
          value={written.description}
          onChange={({ target }) => change({ description: target.value })}
          className={`${FIELD} h-auto py-1.5`}
        />
      </Field>
      {!isOfConnection && (
        <>
          <div className="grid gap-4 min-[480px]:grid-cols-[8rem_minmax(0,1fr)]">
            <Select
              label="Method"
              value={written.request_type}
              options={METHODS}
              onChoose={(request_type) => change({ request_type })}
            />
            <Field label="Address">
              <input
                type="url"
                required
                maxLength={2_048}
                placeholder="https://shop.example.com/orders/{order}"
                value={written.api_endpoint}
                onChange={({ target }) => change({ api_endpoint: target.value })}
                className={`${FIELD} placeholder:text-quiet`}
              />
            </Field>
          </div>
          <InputFields input={input} onChange={setInput} />
        </>
      )}
      <Rules written={written} onChange={change} />
    </FormDialog>
  );
};

/** Sends the difference to the form's first values. Changes saved by others meanwhile stay. */
async function saveChanges(id: string, begun: Form, { written, input }: Form, isOfConnection: boolean): Promise<void> {
  const params = { path: { id } };
  const before = new Map(Object.entries(bodyOf(begun.written, isOfConnection)));
  const body: Schemas['UpdateActionPublic'] = Object.fromEntries(
    Object.entries(bodyOf(written, isOfConnection)).filter(([key, value]) => !isSame(value, before.get(key))),
  );
  const takesOther = !isSame(input, begun.input);
  if (!isOfConnection && (takesOther || body.request_type !== undefined)) {
    const now = await dataOf(api.GET('/actions/{id}', { params }));
    const method = body.request_type ?? now.request_type;
    body.payload =
      takesOther && input !== undefined
        ? payloadWith(now.payload, input, method)
        : { ...now.payload, method: method.toLowerCase() as 'get' };
  }
  if (Object.keys(body).length > 0) await dataOf(api.PATCH('/actions/{id}', { params, body }));
}

/** Returns the request without the payload and without values set by a connection. */
function bodyOf(
  { description, channels, request_type, api_endpoint, ...rest }: Written,
  isOfConnection: boolean,
): Schemas['UpdateActionPublic'] {
  const { name, confirm } = rest;
  const switches = Object.fromEntries(SWITCHES.map(([key]) => [key, rest[key]]));
  const common = {
    name: name.trim(),
    description: description.trim() === '' ? null : description.trim(),
    confirm,
    ...switches,
    enabled_on_channel: { channels },
  };
  return isOfConnection ? common : { ...common, request_type, api_endpoint: api_endpoint.trim() };
}

const InputFields = ({ input, onChange }: { input: Input | undefined; onChange: (input: Input) => void }) => {
  if (input === undefined)
    return (
      <p className="rounded-md bg-sunken p-3 text-quiet">
        What it takes is more than rows can show. It stays as it is: the API and imports change it.
      </p>
    );
  return (
    <>
      <FieldRows fields={input.fields} onChange={(fields) => onChange({ ...input, fields })} />
      {input.bodySchema !== undefined && (
        <JsonField
          label="JSON Schema of the body"
          text={input.bodySchema}
          onChange={(bodySchema) => onChange({ ...input, bodySchema })}
        />
      )}
    </>
  );
};

const Rules = ({ written, onChange }: { written: Written; onChange: (changes: Partial<Written>) => void }) => (
  <>
    <Select
      label="A person confirms it"
      value={written.confirm}
      options={CONFIRMATIONS}
      onChoose={(confirm) => onChange({ confirm })}
    />
    <fieldset>
      <legend className="mb-1 text-xs text-quiet">The AI takes it on</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {CHANNEL_CHOICES.map(([channel, name]) => (
          <label key={channel} className="flex min-h-6 items-center gap-1.5">
            <input
              type="checkbox"
              checked={written.channels.includes(channel)}
              onChange={({ target }) =>
                onChange({
                  channels: target.checked
                    ? [...written.channels, channel]
                    : written.channels.filter((one) => one !== channel),
                })
              }
              className="size-4 accent-(--accent)"
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
    <fieldset className="space-y-1">
      <legend className="mb-1 text-xs text-quiet">Rules</legend>
      {SWITCHES.map(([key, name]) => (
        <label key={key} className="flex min-h-6 items-center gap-1.5">
          <input
            type="checkbox"
            checked={written[key]}
            onChange={({ target }) => onChange({ [key]: target.checked })}
            className="size-4 accent-(--accent)"
          />
          {name}
        </label>
      ))}
    </fieldset>
  </>
);
