import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useState } from 'react';

/**
 * Keeps the row with the focus in a virtual list, and the rows beside it, while the list is scrolled past them. The focus
 * stays, and keys move on from there. New rows before it move it without another getting the focus.
 */
export function usePinnedRow(scroller: RefObject<HTMLElement | null>, keys: (string | number)[]) {
  const [pinned, pin] = useState<string | number>();
  const at = pinned === undefined ? -1 : keys.indexOf(pinned);
  const rangeExtractor = useCallback(
    (range: Range): number[] => {
      const shown = defaultRangeExtractor(range);
      if (at < 0 || !scroller.current?.contains(document.activeElement)) return shown;
      const beside = [at - 1, at, at + 1].filter((n) => n >= 0 && n < range.count);
      return [...new Set([...shown, ...beside])].sort((one, other) => one - other);
    },
    [at, scroller],
  );
  return { at, pin, rangeExtractor };
}
