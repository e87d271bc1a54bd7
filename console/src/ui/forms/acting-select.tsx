import { type ComponentProps, useRef, useState } from 'react';

interface ActingSelectProps<Value extends string>
  extends Omit<ComponentProps<'select'>, 'onChange' | 'onKeyDown' | 'onBlur' | 'value'> {
  value: Value;
  options: readonly (readonly [value: Value, name: string])[];
  onAct: (value: Value) => void;
}

/** A key changes a closed list at once. What is chosen in the open list of the browser comes later than its key. */
const OF_KEY_MS = 100;

/**
 * A choice that does something. In the open list, it does so at once. By the keys of the closed one it does so on Enter
 * or once it is left, as arrows choose each value on the way; Escape takes it back.
 */
export const ActingSelect = <Value extends string>({ value, options, onAct, ...rest }: ActingSelectProps<Value>) => {
  const [held, hold] = useState<Value>();
  const pressedAtMs = useRef(-Infinity);
  const act = (chosen: Value | undefined) => {
    hold(undefined);
    if (chosen !== undefined && chosen !== value) onAct(chosen);
  };
  return (
    <select
      {...rest}
      value={held ?? value}
      onKeyDown={(event) => {
        pressedAtMs.current = performance.now();
        if (event.key === 'Escape') hold(undefined);
        if (event.key !== 'Enter' || held === undefined) return;
        event.preventDefault();
        act(held);
      }}
      // Another window does not leave it.
      onBlur={({ target }) => document.activeElement !== target && act(held)}
      onChange={({ target }) => {
        const chosen = options.find(([option]) => option === target.value)?.[0];
        if (performance.now() - pressedAtMs.current < OF_KEY_MS) hold(chosen);
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
