import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Search } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Schemas } from '../../api/client';
import { type InboxFilters, inboxQuery } from '../../api/queries';
import { useKeys } from '../../ui/keys';
import { Empty, Failure, Skeleton } from '../../ui/parts';
import { SessionRow } from './session-row';

const ROW_HEIGHT = 84;
const [DOWN, UP, CLOSE] = ['ArrowDown', 'ArrowUp', 'Escape'] as const;

interface ListProps {
  views: Schemas['InboxView'][];
  filters: InboxFilters;
  openId: string | undefined;
}

export const SessionList = ({ views, filters, openId }: ListProps) => {
  const list = useInfiniteQuery(inboxQuery(filters));
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const navigate = useNavigate();
  const open = (step: number) => {
    const at = rows.findIndex(({ id }) => id === openId);
    const row = rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
    if (row !== undefined) void navigate({ to: '/s/$id', params: { id: row.id }, search: filters });
  };
  useKeys({
    j: () => open(1),
    [DOWN]: () => open(1),
    k: () => open(-1),
    [UP]: () => open(-1),
    [CLOSE]: () => void navigate({ to: '/inbox', search: filters }),
  });
  return (
    <>
      <ListHead views={views} filters={filters} />
      {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton rows={8} />}
      {list.isSuccess && rows.length === 0 && (
        <Empty title={filters.q === undefined ? 'Nothing is here' : 'Nothing was found'}>
          {filters.q === undefined ? 'New conversations appear by themselves.' : 'Search for other words, or #12.'}
        </Empty>
      )}
      {rows.length > 0 && (
        <Rows
          rows={rows}
          filters={filters}
          openId={openId}
          onEnd={() => list.hasNextPage && void list.fetchNextPage()}
        />
      )}
    </>
  );
};

const ListHead = ({ views, filters }: Omit<ListProps, 'openId'>) => {
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => field.current?.focus() });
  return (
    <div className="flex flex-col gap-2 border-b border-line p-2">
      <select
        aria-label="View"
        value={filters.view}
        onChange={({ target }) => void navigate({ to: '/inbox', search: { view: target.value } })}
        className="h-8 rounded-md border border-line bg-surface px-2 font-medium min-[1200px]:hidden"
      >
        {views.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <search>
        <form
          className="relative"
          onSubmit={(event) => {
            event.preventDefault();
            void navigate({ to: '/inbox', search: { ...filters, q: field.current?.value || undefined } });
          }}
        >
          <Search size={15} aria-hidden="true" className="absolute top-2 left-2.5 text-quiet" />
          <input
            ref={field}
            key={filters.q}
            type="search"
            defaultValue={filters.q}
            aria-label="Search conversations"
            placeholder="Search, or #12"
            className="h-8 w-full rounded-md border border-line bg-page pr-2 pl-8 placeholder:text-quiet"
          />
        </form>
      </search>
    </div>
  );
};

interface RowsProps extends Omit<ListProps, 'views'> {
  rows: Schemas['InboxRow'][];
  onEnd: () => void;
}

const Rows = ({ rows, filters, openId, onEnd }: RowsProps) => {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (n) => rows[n]?.id ?? n,
    overscan: 6,
  });
  const shown = virtual.getVirtualItems();
  const isAtEnd = (shown.at(-1)?.index ?? 0) >= rows.length - 1;
  const at = rows.findIndex(({ id }) => id === openId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a longer list has another end
  useEffect(() => {
    if (isAtEnd) onEnd();
  }, [isAtEnd, rows.length]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that move do not scroll the list
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at);
  }, [openId]);
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
      <ul aria-label="Conversations" className="relative" style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ index, key, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <li key={key} className="absolute inset-x-0 h-[84px]" style={{ transform: `translateY(${start}px)` }}>
              <SessionRow row={row} search={filters} isOpen={row.id === openId} />
            </li>
          );
        })}
      </ul>
    </div>
  );
};
