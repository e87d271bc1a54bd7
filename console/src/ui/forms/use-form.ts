import { useState } from 'react';
import type { Written } from './spec';

/** What a form has: the stored values with what was changed, and whether something was. */
export interface Form {
  values: Written;
  /** What differs from the stored values. */
  changes: Written;
  isChanged: boolean;
  change: (name: string, value: string | boolean) => void;
  discard: () => void;
  /** Forgets the changes that were sent and are stored. What was written meanwhile stays. */
  settle: (sent: Written) => void;
}

/** Keeps what was changed of stored values. What is stored again meanwhile shows where nothing was changed. */
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
