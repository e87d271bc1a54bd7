import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import { useKeys } from '../keys';
import { failureOf, Skeleton } from '../parts';
import { useTick } from '../times/time';
import { type Column, ColumnNames, DataRow, RowBox } from './data-row';
import { usePinnedRow } from './pinned-row';
import type { Selection } from './selection';
import { ShowMore } from './show-more';

const ROW_HEIGHT = 45;
const TICK_MS = 30_000;

interface Pages<Row> {
  pages: { items: Row[] }[];
}

export interface ListProps<Row> {
  /** What the rows are, as assistive technology says it. */
  label: string;
  query: Pick<
    UseInfiniteQueryResult<Pages<Row>>,
    'data' | 'error' | 'isPending' | 'refetch' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
  >;
  columns: Column<Row>[];
  keyOf: (row: Row) => string;
  linkOf?: (row: Row) => LinkProps;
  /** The words of an empty list. */
  empty: ReactNode;
  /** Rows can be selected, each under its name. */
  selection?: Selection | undefined;
  nameOf?: (row: Row) => string;
  /** Called when the list comes to its top, and when it leaves it. */
  onTop?: (isAtTop: boolean) => void;
}

/** A list read page by page as it is scrolled. Its rows stay while an error is shown above them. */
export const DataList = <Row,>(props: ListProps<Row>) => {
  const { query, empty, columns } = props;
  const rows = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section aria-label={props.label} className="flex min-h-0 flex-1 flex-col">
      {failureOf(query)}
      {query.isPending && <Skeleton rows={8} />}
      {query.data !== undefined && rows.length === 0 && empty}
      {rows.length > 0 && (
        <>
          <ColumnNames columns={columns} hasBoxes={props.selection !== undefined} />
          <Rows {...props} rows={rows} />
        </>
      )}
    </section>
  );
};

const Rows = <Row,>({ rows, ...list }: ListProps<Row> & { rows: Row[] }) => {
  const { label, query, columns, keyOf, linkOf, selection, nameOf, onTop } = list;
  const scroller = useRef<HTMLDivElement>(null);
  const keys = rows.map(keyOf);
  const { at, pin, rangeExtractor } = usePinnedRow(scroller, keys);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (n) => keys[n] ?? n,
    overscan: 8,
    rangeExtractor,
  });
  const shown = virtual.getVirtualItems();
  const focusable = shown.some(({ index }) => index === at) ? at : shown[0]?.index;
  useTick(TICK_MS);
  useNextPage(query, (shown.at(-1)?.index ?? 0) >= rows.length - 1);
  useRowKeys(scroller);
  useSelectionKeys(selection, () => keys[Math.max(at, 0)]);
  return (
    <div
      ref={scroller}
      onScroll={({ currentTarget }) => onTop?.(currentTarget.scrollTop === 0)}
      className="min-h-0 flex-1 overflow-y-auto"
    >
      <ul aria-label={label} className="relative" style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ index, key, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              onFocus={() => pin(keyOf(row))}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <DataRow
                row={row}
                columns={columns}
                link={linkOf?.(row)}
                isFocusable={index === focusable}
                box={selection && <RowBox name={nameOf?.(row) ?? keyOf(row)} id={keyOf(row)} selection={selection} />}
              />
            </li>
          );
        })}
      </ul>
      {query.isFetchingNextPage && <Skeleton rows={1} />}
    </div>
  );
};

/** X selects the row with the focus, and Ctrl A all of the list. */
function useSelectionKeys(selection: Selection | undefined, idOf: () => string | undefined): void {
  const toggle = () => {
    const id = idOf();
    if (id !== undefined) selection?.toggle(id);
  };
  useKeys(selection === undefined ? {} : { x: toggle, 'Mod+a': selection.addAll, Escape: selection.clear });
}

function useNextPage<Row>(query: ListProps<Row>['query'], isAtEnd: boolean): void {
  const canRead = isAtEnd && query.hasNextPage && !query.isFetchingNextPage && query.error === null;
  useEffect(() => {
    if (canRead) void query.fetchNextPage();
  }, [canRead, query.fetchNextPage]);
}

const [DOWN, UP] = ['ArrowDown', 'ArrowUp'] as const;

/** Moves the focus between the links of rows. */
function useRowKeys(scroller: React.RefObject<HTMLElement | null>): void {
  const move = (step: number) => {
    const links = [...(scroller.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
    const now = links.findIndex((link) => link.matches(':focus'));
    const next = now < 0 ? links.find((link) => link.tabIndex === 0) : links[now + step];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  };
  useKeys({ j: () => move(1), [DOWN]: () => move(1), k: () => move(-1), [UP]: () => move(-1) });
}

/** A part of a page that is a list of few rows: more of them come by a button. */
export const ShortList = <Row,>({ label, query, columns, keyOf, linkOf, empty }: ListProps<Row>) => {
  const rows = query.data?.pages.flatMap(({ items }) => items) ?? [];
  useTick(TICK_MS);
  return (
    <>
      {failureOf(query)}
      {query.isPending && <Skeleton rows={3} />}
      {query.data !== undefined && rows.length === 0 && empty}
      {rows.length > 0 && <ColumnNames columns={columns} />}
      <ul aria-label={label}>
        {rows.map((row) => (
          <li key={keyOf(row)}>
            <DataRow row={row} columns={columns} link={linkOf?.(row)} isFocusable />
          </li>
        ))}
      </ul>
      <ShowMore query={query} look="quiet" className="m-2" />
    </>
  );
};
