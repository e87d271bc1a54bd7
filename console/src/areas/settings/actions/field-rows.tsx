import { Button } from '../../../ui/parts';
import type { InputField, Place, ValueType } from './payload';

interface FieldRowsProps {
  fields: InputField[];
  onChange: (fields: InputField[]) => void;
}

const BOX = 'h-9 rounded-md border border-line bg-page px-2';

const PLACES: Record<Place, string> = {
  path: 'in the path',
  query: 'in the query',
  header: 'as a header',
  cookie: 'as a cookie',
  body: 'in the body',
};
const TYPES: Record<ValueType, string> = {
  string: 'Text',
  number: 'Number',
  integer: 'Whole number',
  boolean: 'True or false',
};

/** What the AI gives to an action: one value a row. */
export const FieldRows = ({ fields, onChange }: FieldRowsProps) => {
  const change = (n: number, changes: Partial<InputField>) =>
    onChange(fields.map((field, m) => (m === n ? { ...field, ...changes } : field)));
  const add = () =>
    onChange([...fields, { name: '', place: 'query', type: 'string', description: '', isRequired: true, others: {} }]);
  return (
    <fieldset className="space-y-3">
      <legend className="mb-1 text-xs text-quiet">
        What the AI gives. A value of the path is also in the address, as {'{name}'}.
      </legend>
      {fields.map((field, n) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: two values may have the same name while they are written
          key={n}
          className="flex flex-wrap items-center gap-2 border-b border-line pb-3 last:border-0"
        >
          <input
            aria-label={`Name of value ${n + 1}`}
            placeholder="Name"
            required
            maxLength={255}
            value={field.name}
            onChange={({ target }) => change(n, { name: target.value })}
            className={`${BOX} min-w-0 flex-1 basis-32 placeholder:text-quiet`}
          />
          <select
            aria-label={`Place of value ${n + 1}`}
            value={field.place}
            onChange={({ target }) => change(n, { place: target.value as Place })}
            className={BOX}
          >
            {Object.entries(PLACES).map(([place, name]) => (
              <option key={place} value={place}>
                {name}
              </option>
            ))}
          </select>
          <select
            aria-label={`Type of value ${n + 1}`}
            value={field.type}
            onChange={({ target }) => change(n, { type: target.value as ValueType })}
            className={BOX}
          >
            {Object.entries(TYPES).map(([type, name]) => (
              <option key={type} value={type}>
                {name}
              </option>
            ))}
          </select>
          <label className="flex items-center gap-1.5">
            <input
              type="checkbox"
              checked={field.isRequired || field.place === 'path'}
              disabled={field.place === 'path'}
              onChange={({ target }) => change(n, { isRequired: target.checked })}
              className="size-4 accent-(--accent)"
            />
            Required
          </label>
          <Button
            look="quiet"
            aria-label={`Remove value ${n + 1}`}
            onClick={() => onChange(fields.filter((_, m) => m !== n))}
          >
            Remove
          </Button>
          <input
            aria-label={`Meaning of value ${n + 1}`}
            placeholder="What it is, for the AI"
            maxLength={10_000}
            value={field.description}
            onChange={({ target }) => change(n, { description: target.value })}
            className={`${BOX} min-w-0 flex-1 basis-full placeholder:text-quiet`}
          />
        </div>
      ))}
      <Button onClick={add}>Add a value</Button>
    </fieldset>
  );
};
