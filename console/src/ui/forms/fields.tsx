import type { ComponentProps, ReactNode } from 'react';

export const FIELD = 'h-9 w-full rounded-md border border-line bg-page px-3';

/** A field of a form under its name. */
export const Field = ({ label, children }: { label: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is given as child
  <label className="block min-w-0">
    <span className="mb-1 block text-xs text-quiet">{label}</span>
    {children}
  </label>
);

interface SelectProps<Value extends string> extends Omit<ComponentProps<'select'>, 'onChange' | 'value'> {
  label: string;
  value: Value;
  options: readonly (readonly [value: Value, name: string])[];
  onChoose: (value: Value) => void;
}

/** A choice of few values under its name. */
export const Select = <Value extends string>({ label, value, options, onChoose, ...rest }: SelectProps<Value>) => (
  <Field label={label}>
    <select
      {...rest}
      value={value}
      onChange={({ target }) => {
        const chosen = options.find(([option]) => option === target.value);
        if (chosen !== undefined) onChoose(chosen[0]);
      }}
      className={FIELD}
    >
      {options.map(([option, name]) => (
        <option key={option} value={option}>
          {name}
        </option>
      ))}
    </select>
  </Field>
);
