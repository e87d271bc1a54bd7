import { useInfiniteQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { memo, type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { HistoryItem } from '../../../api/caches';
import type { Schemas } from '../../../api/client';
import { historyQuery } from '../../../api/queries';
import { Button, Failure, Skeleton } from '../../../ui/parts';
import { Happenings } from './happenings';
import { isBy, isSaid } from './items';
import { Message } from './message';
import { useRead, useSeen } from './reading';
import { firstUnreadOf, rowsOf, type ThreadRow } from './rows';

const ROW_HEIGHT = 72;
const END_PX = 80;
/** Earlier items are read while so many rows above are left. */
const ROWS_AHEAD = 8;

interface ThreadProps {
  session: Schemas['ChatSession'];
  me: Schemas['Me'];
  /** Is given the last item that the member has seen. */
  seen: RefObject<string | undefined>;
}

/** A history with the newest at the bottom. It opens at the first unread item, and keeps its place when more comes in. */
export const Thread = memo(({ session, me, seen }: ThreadProps) => {
  const history = useInfiniteQuery(historyQuery(session.id));
  const items = useMemo(() => (history.data?.pages ?? []).flatMap((page) => page.items).toReversed(), [history.data]);
  const unread = useUnread(items, session.read_up_to);
  const isWhole = !history.hasNextPage;
  const rows = useMemo(() => rowsOf(items, { firstUnread: unread, isWhole }), [items, unread, isWhole]);
  const { scroller, virtual, isAtEnd, isPlaced } = usePlace(rows, items, me.member?.id);
  const shown = virtual.getVirtualItems();
  useRead(session.id, items.at(-1)?.id);
  useSeen({ seen, items, isAtEnd, memberId: me.member?.id });
  const isNearStart = isPlaced && (shown[0]?.index ?? ROWS_AHEAD) < ROWS_AHEAD;
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isFetchNextPageError } = history;
  useEffect(() => {
    if (isNearStart && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [isNearStart, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {history.error !== null && (
        <Failure
          error={history.error}
          onRetry={() => void (isFetchNextPageError ? fetchNextPage() : history.refetch())}
        />
      )}
      {history.isPending && <Skeleton rows={5} />}
      <div
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it only where it has the focus
        tabIndex={0}
        role="log"
        aria-label="Messages"
        aria-busy={isFetchingNextPage}
        className="min-h-0 flex-1 overflow-y-auto px-4 [overflow-anchor:none]"
      >
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          <div className="absolute inset-x-0 top-0" style={{ transform: `translateY(${shown[0]?.start ?? 0}px)` }}>
            {shown.map(({ index, key }) => {
              const row = rows[index];
              return row === undefined ? null : (
                <div key={key} data-index={index} ref={virtual.measureElement} className="flow-root">
                  <Row row={row} session={session} me={me} />
                </div>
              );
            })}
          </div>
        </div>
      </div>
      {isFetchingNextPage && (
        <p className="pointer-events-none absolute inset-x-0 top-2 text-center text-xs text-quiet">
          <span className="rounded-full bg-sunken px-2 py-1">Loading earlier messages</span>
        </p>
      )}
      <NewerBelow items={items} isAtEnd={isAtEnd} me={me} onShow={() => virtual.scrollToEnd()} />
    </div>
  );
});

/** Returns the first item unread when the thread opened. Later items are seen as they arrive. */
function useUnread(items: HistoryItem[], readUpTo: string | null): string | undefined {
  const opened = useRef<{ unread: string | undefined }>(undefined);
  if (opened.current === undefined && items.length > 0) opened.current = { unread: firstUnreadOf(items, readUpTo) };
  return opened.current?.unread;
}

/** Opens at the first unread item, or else at the end. Follows new items there, and jumps to the member's own. */
function usePlace(rows: ThreadRow[], items: HistoryItem[], memberId: number | undefined) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (n) => rows[n]?.key ?? n,
    overscan: 6,
    paddingStart: 12,
    paddingEnd: 12,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: END_PX,
  });
  const hasRows = rows.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a thread is placed once, when it has been read
  useLayoutEffect(() => {
    const unread = rows.findIndex(({ isFirstUnread }) => isFirstUnread);
    if (unread > 0) virtual.scrollToIndex(unread, { align: 'start' });
    else if (hasRows) virtual.scrollToEnd();
  }, [hasRows]);
  const [isPlaced, setPlaced] = useState(false);
  useEffect(() => {
    if (!hasRows) return;
    const frame = requestAnimationFrame(() => setPlaced(true)); // until then the rows at the start seem to be shown
    return () => cancelAnimationFrame(frame);
  }, [hasRows]);
  useKeptEnd(scroller, () => virtual.scrollToEnd());
  const newest = items.at(-1);
  const isOwn = newest !== undefined && isSaid(newest) && isBy(newest, memberId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an item that is new moves the thread once
  useLayoutEffect(() => {
    if (isOwn) virtual.scrollToEnd();
  }, [newest?.id]);
  return { scroller, virtual, isPlaced, isAtEnd: virtual.isAtEnd(END_PX) };
}

/** Calls back when a log that is at its end becomes lower or higher, as when the composer grows. */
function useKeptEnd(scroller: RefObject<HTMLElement | null>, onResize: () => void): void {
  const current = useRef(onResize);
  current.current = onResize;
  useEffect(() => {
    const log = scroller.current;
    if (log === null) return;
    let [isAtEnd, height] = [false, log.clientHeight];
    const onScroll = () => {
      isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < END_PX;
    };
    const observer = new ResizeObserver(() => {
      if (isAtEnd && height !== log.clientHeight) current.current();
      height = log.clientHeight;
    });
    observer.observe(log);
    log.addEventListener('scroll', onScroll);
    return () => {
      observer.disconnect();
      log.removeEventListener('scroll', onScroll);
    };
  }, [scroller]);
}

const Row = memo(({ row, session, me }: { row: ThreadRow } & Omit<ThreadProps, 'seen'>) => {
  const [first] = row.items;
  return (
    <>
      {row.day !== undefined && <div className="py-3 text-center text-xs text-quiet">{row.day}</div>}
      {row.isFirstUnread && (
        <div className="flex items-center gap-3 py-2 text-xs font-medium text-link before:h-px before:flex-1 before:bg-accent after:h-px after:flex-1 after:bg-accent">
          New
        </div>
      )}
      {first !== undefined && isSaid(first) ? (
        <Message item={first} session={session} me={me} />
      ) : (
        <Happenings items={row.items} />
      )}
    </>
  );
});

interface NewerBelowProps {
  items: HistoryItem[];
  isAtEnd: boolean;
  me: Schemas['Me'];
  onShow: () => void;
}

/** How many messages have come in below what is looked at. */
const NewerBelow = ({ items, isAtEnd, me, onShow }: NewerBelowProps) => {
  const lastShown = useRef(items.at(-1)?.id);
  if (isAtEnd) lastShown.current = items.at(-1)?.id;
  if (isAtEnd || items.length === 0) return null;
  const from = items.findIndex(({ id }) => id === lastShown.current) + 1;
  const count = items.slice(from).filter((item) => isSaid(item) && !isBy(item, me.member?.id)).length;
  const label = count === 0 ? 'To the newest' : count === 1 ? '1 new message' : `${count} new messages`;
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
      <Button
        look={count === 0 ? 'plain' : 'main'}
        className="pointer-events-auto rounded-full shadow-lg"
        onClick={onShow}
      >
        <ArrowDown size={14} aria-hidden="true" />
        {label}
      </Button>
    </div>
  );
};
