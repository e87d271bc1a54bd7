import type { HistoryItem } from '../../../api/caches';
import { shownDay } from '../../../ui/times/time';
import { isSaid } from './items';

export interface ThreadRow {
  key: string;
  /** The name of its day, if it is the first of it. */
  day: string | undefined;
  isFirstUnread: boolean;
  items: HistoryItem[];
}

interface Reading {
  firstUnread: string | undefined;
  /** Whether nothing is earlier. Else the first row has no day yet: it would become lower once earlier ones are there. */
  isWhole: boolean;
}

/**
 * Returns each message by itself, and the events between two messages as one row. A row has the key of its last item, as
 * older items read later can only join its beginning.
 */
export function rowsOf(items: HistoryItem[], { firstUnread, isWhole }: Reading): ThreadRow[] {
  const rows: ThreadRow[] = [];
  let lastDay = isWhole ? '' : shownDay(items[0]?.created_at ?? '');
  for (const item of items) {
    const day = shownDay(item.created_at);
    const last = rows.at(-1);
    const isFirstUnread = item.id === firstUnread;
    if (day === lastDay && last?.items[0] && !isSaid(item) && !isSaid(last.items[0])) {
      last.items.push(item);
      last.key = item.id;
    } else rows.push({ key: item.id, day: day === lastDay ? undefined : day, isFirstUnread, items: [item] });
    lastDay = day;
  }
  return rows;
}

/** Returns the first thing said behind the last item that was read. */
export function firstUnreadOf(items: HistoryItem[], readUpTo: string | null): string | undefined {
  const read = items.findIndex(({ id }) => id === readUpTo);
  return read < 0 ? undefined : items.slice(read + 1).find(isSaid)?.id;
}
