import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect } from 'react';
import { type HistoryItem, patchRows } from '../../../api/caches';
import { api } from '../../../api/client';
import { sessionQuery } from '../../../api/queries';
import { isBy, isSaid } from './items';

/** An item counts as seen once it was on the screen for so long. */
const SEEN_AFTER_MS = 2_000;

interface SeenInput {
  seen: RefObject<string | undefined>;
  items: HistoryItem[];
  isAtEnd: boolean;
  memberId: number | undefined;
}

/** Keeps the last item seen by the member: one there when the thread opened, or one shown for a while. */
export function useSeen({ seen, items, isAtEnd, memberId }: SeenInput): void {
  const newest = items.at(-1)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: earlier items that are read later change nothing
  useEffect(() => {
    if (newest === undefined) return;
    const behind = items.slice(items.findIndex(({ id }) => id === seen.current) + 1);
    if (seen.current === undefined || !behind.some((item) => isSaid(item) && !isBy(item, memberId)))
      seen.current = newest;
    if (!isAtEnd) return;
    const look = () => {
      if (document.visibilityState === 'visible') seen.current = newest;
    };
    const timer = setTimeout(look, SEEN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [newest, isAtEnd, memberId, seen]);
}

/** Marks what is shown as read, while the page is looked at. */
export function useRead(id: string, newest: string | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (newest === undefined || document.visibilityState === 'hidden') return;
    patchRows(client, id, (row) => ({ ...row, unread: row.unread === null ? null : false }));
    client.setQueryData(sessionQuery(id).queryKey, (session) => session && { ...session, read_up_to: newest });
    void api.POST('/chat/sessions/{id}/read', { params: { path: { id } }, body: {} });
  }, [client, id, newest]);
}
