import { useState } from 'react';

/** An id remembered by the browser under a name, and its setter. */
export function useStoredId(name: string): [id: string | undefined, remember: (id: string | undefined) => void] {
  const [id, set] = useState(() => localStorage.getItem(name) ?? undefined);
  const remember = (next: string | undefined) => {
    if (next === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, next);
    set(next);
  };
  return [id, remember];
}
