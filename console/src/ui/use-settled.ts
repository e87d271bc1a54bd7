import { useEffect, useState } from 'react';

const PAUSE_MS = 150;

/** Returns a text once it has not changed for a moment, empty at first. */
export function useSettled(text: string): string {
  const [settled, settle] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => settle(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
