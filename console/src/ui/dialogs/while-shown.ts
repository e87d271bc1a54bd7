import { useEffect, useRef } from 'react';

/**
 * Returns a function that acts only while this component is shown. The answer of a request may come once its dialog was
 * left, and must not close or move what is shown instead.
 */
export function useWhileShown<Args extends unknown[]>(act: (...args: Args) => unknown): (...args: Args) => void {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return (...args) => {
    if (isShown.current) act(...args);
  };
}
