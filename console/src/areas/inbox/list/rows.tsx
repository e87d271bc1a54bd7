import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { InboxRow } from '../../../api/caches';
import type { InboxFilters } from '../../../api/inbox-filters';
import { usePinnedRow } from '../../../ui/lists/pinned-row';
import type { Selection } from '../../../ui/lists/selection';
import { useTick } from '../../../ui/times/time';
import { SessionRow } from '../session-row';

const ROW_HEIGHT = 84;
const TICK_MS = 30_000;

interface RowsProps {
  rows: InboxRow[];
  filters: InboxFilters;
  openId: string | undefined;
  memberId: number | undefined;
  /** Absent for whoever may change nothing. */
  selection: Selection | undefined;
  onEnd: () => void;
}

export const Rows = ({ rows, filters, openId, memberId, selection, onEnd }: RowsProps) => {
  const scroller = useRef<HTMLDivElement>(null);
  const keys = rows.map(({ id }) => id);
  const { pin, rangeExtractor } = usePinnedRow(scroller, keys);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (n) => keys[n] ?? n,
    overscan: 6,
    rangeExtractor,
  });
  useTick(TICK_MS);
  const onScroll = useAnchor(scroller, rows);
  const shown = virtual.getVirtualItems();
  const isAtEnd = (shown.at(-1)?.index ?? 0) >= rows.length - 1;
  const at = openId === undefined ? -1 : keys.indexOf(openId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a longer list has another end
  useEffect(() => {
    if (isAtEnd) onEnd();
  }, [isAtEnd, rows.length]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that move do not scroll the list
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at);
  }, [openId]);
  return (
    <div ref={scroller} onScroll={onScroll} className="min-h-0 flex-1 overflow-y-auto [overflow-anchor:none]">
      <ul
        aria-label="Conversations"
        className="group/list relative"
        data-selecting={selection !== undefined && selection.size > 0 ? '' : undefined}
        style={{ height: virtual.getTotalSize() }}
      >
        {shown.map(({ index, key, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <li
              key={key}
              onFocus={() => pin(row.id)}
              className="group/row absolute inset-x-0 h-[84px]"
              style={{ transform: `translateY(${start}px)` }}
            >
              <SessionRow
                row={row}
                search={filters}
                isOpen={row.id === openId}
                isFocusable={index === Math.max(at, 0)}
                memberId={memberId}
                selection={selection}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
};

/** Keeps the first visible row in its place while rows move around it. A list at its top shows new rows. */
function useAnchor(scroller: React.RefObject<HTMLDivElement | null>, rows: InboxRow[]): () => void {
  const anchor = useRef<{ id: string; offset: number }>(undefined);
  useLayoutEffect(() => {
    const at = rows.findIndex(({ id }) => id === anchor.current?.id);
    if (at >= 0 && anchor.current !== undefined && scroller.current !== null)
      scroller.current.scrollTop = at * ROW_HEIGHT + anchor.current.offset;
  }, [rows, scroller]);
  return () => {
    const top = scroller.current?.scrollTop ?? 0;
    const first = rows[Math.floor(top / ROW_HEIGHT)];
    anchor.current = top === 0 || first === undefined ? undefined : { id: first.id, offset: top % ROW_HEIGHT };
  };
}
