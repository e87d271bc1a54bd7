import { useRef } from 'react';

/**
 * Returns the Idempotency-Key of an intent. It stays the same for the same text until it is forgotten: a repeated request
 * acts once.
 */
export function useIntentKey() {
  const intent = useRef<{ key: string; of: string }>(undefined);
  return {
    keyFor: (of: string) => {
      if (intent.current?.of !== of) intent.current = { key: crypto.randomUUID(), of };
      return intent.current.key;
    },
    forget: () => {
      intent.current = undefined;
    },
  };
}
