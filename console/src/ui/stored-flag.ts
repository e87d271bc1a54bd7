import { useState } from 'react';

/** A choice remembered by the browser, and its toggle. It is off at first. */
export function useStoredFlag(name: string): [isOn: boolean, toggle: () => void] {
  const [isOn, set] = useState(() => localStorage.getItem(name) === 'true');
  const toggle = () => {
    localStorage.setItem(name, `${!isOn}`);
    set(!isOn);
  };
  return [isOn, toggle];
}
