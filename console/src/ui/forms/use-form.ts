import { useState } from 'react';
import type { Written } from './spec';

/** The state of a form: the stored values with the changes, and whether there are any. */
export interface Form {
  values: Written;
  /** What differs from the stored values. */
  changes: Written;
  isChanged: boolean;
  change: (name: string, value: string | boolean) => void;
  discard: () => void;
  /** Forgets the changes stored by now. Later changes stay. */
  settle: (sent: Written) => void;
}

/** Keeps the changes of stored values. Values stored meanwhile show in unchanged fields. */
export function useForm(stored: Written): Form {
  const [written, setChanges] = useState<Written>({});
  const changes = Object.fromEntries(Object.entries(written).filter(([name, value]) => value !== (stored[name] ?? '')));
  return {
    values: { ...stored, ...written },
    changes,
    isChanged: Object.keys(changes).length > 0,
    change: (name, value) => setChanges((now) => ({ ...now, [name]: value })),
    discard: () => setChanges({}),
    settle: (sent) =>
      setChanges((now) => Object.fromEntries(Object.entries(now).filter(([name, value]) => value !== sent[name]))),
  };
}
