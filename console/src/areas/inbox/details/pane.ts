import { useState, useSyncExternalStore } from 'react';

const FOLDED = 'switchboard-details-folded';
const wide = window.matchMedia('(min-width: 1200px)');

/** Whether the details are beside the conversation, which the browser remembers, or over it where there is no room. */
export function useDetailsPane() {
  const isWide = useSyncExternalStore(
    (listener) => {
      wide.addEventListener('change', listener);
      return () => wide.removeEventListener('change', listener);
    },
    () => wide.matches,
  );
  const [isFolded, setFolded] = useState(() => localStorage.getItem(FOLDED) === 'true');
  const [isOver, setOver] = useState(false);
  return {
    isBeside: isWide && !isFolded,
    isOver: !isWide && isOver,
    close: () => setOver(false),
    toggle() {
      if (!isWide) return setOver(true);
      localStorage.setItem(FOLDED, `${!isFolded}`);
      setFolded(!isFolded);
    },
  };
}
