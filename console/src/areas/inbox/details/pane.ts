import { useState, useSyncExternalStore } from 'react';
import { useStoredFlag } from '../../../ui/stored-flag';

const wide = window.matchMedia('(min-width: 1200px)');

/** Whether the details are beside the conversation, or over it in a narrow window. The browser remembers the former. */
export function useDetailsPane() {
  const isWide = useSyncExternalStore(
    (listener) => {
      wide.addEventListener('change', listener);
      return () => wide.removeEventListener('change', listener);
    },
    () => wide.matches,
  );
  const [isFolded, fold] = useStoredFlag('switchboard-details-folded');
  const [isOver, setOver] = useState(false);
  return {
    isBeside: isWide && !isFolded,
    isOver: !isWide && isOver,
    close: () => setOver(false),
    toggle() {
      if (isWide) fold();
      else setOver(true);
    },
  };
}
