import { type InfiniteData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { newestRunsQuery, type RunFilters, type RunRow, runsQuery } from '../../../api/runs';

interface Page {
  items: RunRow[];
  next: string | null;
}
type List = InfiniteData<Page, string | undefined>;

/** The new rows above a list, and the function to show them. */
interface News {
  count: number;
  /** Whether more is new than one page has. */
  isMore: boolean;
  show: () => void;
}

/**
 * Keeps the newest rows of a list as they are now. New runs appear above them at once while the list is at its top, and
 * are held back while somebody reads further down.
 */
export function useNewest(filters: RunFilters, { isAtTop, isHeld }: { isAtTop: boolean; isHeld: boolean }): News {
  const client = useQueryClient();
  const { queryKey } = runsQuery(filters);
  const newest = useQuery(newestRunsQuery(filters)).data;
  const [held, hold] = useState<RunRow[]>([]);
  const isHolding = useRef(false);
  isHolding.current = !isAtTop || isHeld;
  const key = JSON.stringify(filters);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is merged once
  useEffect(() => {
    const list = client.getQueryData<List>(queryKey);
    if (newest === undefined || list === undefined) return;
    const { merged, added } = merge(list, newest);
    client.setQueryData<List>(queryKey, isHolding.current ? merged : withRows(merged, added));
    hold(isHolding.current ? added : []);
  }, [newest, key]);
  const isMore = newest !== undefined && held.length === newest.items.length && newest.next !== null;
  const show = () => {
    if (isMore) void client.resetQueries({ queryKey });
    else client.setQueryData<List>(queryKey, (list) => list && withRows(list, held));
    hold([]);
  };
  useEffect(() => {
    if (isAtTop && !isHeld && held.length > 0) show();
  });
  return { count: held.length, isMore, show };
}

/**
 * Returns a list with the rows of its first page as they are now, with new rows, and without those no longer meeting the
 * filters.
 */
function merge(list: List, newest: Page): { merged: List; added: RunRow[] } {
  const now = new Map(newest.items.map((row) => [row.id, row]));
  const last = newest.items.at(-1);
  const isCovered = (row: RunRow) => newest.next === null || (last !== undefined && row.created_at > last.created_at);
  const known = new Set(list.pages.flatMap(({ items }) => items.map(({ id }) => id)));
  const pages = list.pages.map((page) => ({
    ...page,
    items: page.items.filter((row) => now.has(row.id) || !isCovered(row)).map((row) => now.get(row.id) ?? row),
  }));
  return { merged: { ...list, pages }, added: newest.items.filter(({ id }) => !known.has(id)) };
}

function withRows(list: List, rows: RunRow[]): List {
  const [first, ...others] = list.pages;
  if (first === undefined || rows.length === 0) return list;
  const known = new Set(list.pages.flatMap(({ items }) => items.map(({ id }) => id)));
  const added = rows.filter(({ id }) => !known.has(id));
  const items = [...added, ...first.items].toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
  return { ...list, pages: [{ ...first, items }, ...others] };
}
