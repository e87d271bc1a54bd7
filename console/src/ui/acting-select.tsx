import { type ComponentProps, useRef, useState } from 'react';

interface ActingSelectProps<Value extends string>
  extends Omit<ComponentProps<'select'>, 'onChange' | 'onKeyDown' | 'onBlur' | 'onPointerDown' | 'value'> {
  value: Value;
  options: readonly (readonly [value: Value, name: string])[];
  onAct: (value: Value) => void;
}

/**
 * A choice that does something. By the pointer it does so at once. By keys it does so on Enter or once it is left, as
 * arrows choose each value on the way; Escape takes it back.
 */
export const ActingSelect = <Value extends string>({ value, options, onAct, ...rest }: ActingSelectProps<Value>) => {
  const [held, hold] = useState<Value>();
  const isByKeys = useRef(false);
  const act = (chosen: Value | undefined) => {
    hold(undefined);
    if (chosen !== undefined && chosen !== value) onAct(chosen);
  };
  return (
    <select
      {...rest}
      value={held ?? value}
      onPointerDown={() => {
        isByKeys.current = false;
      }}
      onKeyDown={(event) => {
        isByKeys.current = true;
        if (event.key === 'Escape') hold(undefined);
        if (event.key !== 'Enter' || held === undefined) return;
        event.preventDefault();
        act(held);
      }}
      onBlur={() => act(held)}
      onChange={({ target }) => {
        const chosen = options.find(([option]) => option === target.value)?.[0];
        if (isByKeys.current) hold(chosen);
        else act(chosen);
      }}
    >
      {options.map(([option, name]) => (
        <option key={option} value={option}>
          {name}
        </option>
      ))}
    </select>
  );
};
