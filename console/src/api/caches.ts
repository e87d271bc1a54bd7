import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { Schemas } from './client';
import { addItems } from './history';
import { openRowQuery, placeRow, removeRow } from './inbox-lists';
import type { LiveEvent } from './live';
import { historyQuery } from './queries';

export type InboxRow = Schemas['InboxRow'];
export type HistoryItem = Schemas['HistoryItem'];
interface Page<Item> {
  items: Item[];
  next: string | null;
}

/** Changes a row in each of its lists, and on its own page. */
export function patchRows(client: QueryClient, id: string, change: (row: InboxRow) => InboxRow): void {
  client.setQueryData(openRowQuery(id).queryKey, (row) => row && change(row));
  client.setQueriesData<InfiniteData<Page<InboxRow>>>({ queryKey: ['listInbox'] }, (lists) =>
    lists === undefined
      ? lists
      : {
          ...lists,
          pages: lists.pages.map((page) => ({
            ...page,
            items: page.items.map((row) => (row.id === id ? change(row) : row)),
          })),
        },
  );
}

/** Returns a row of any list, or the open one. */
export function findRow(client: QueryClient, id: string): InboxRow | undefined {
  for (const [, list] of client.getQueriesData<InfiniteData<Page<InboxRow>>>({ queryKey: ['listInbox'] }))
    for (const page of list?.pages ?? []) {
      const row = page.items.find((one) => one.id === id);
      if (row !== undefined) return row;
    }
  return client.getQueryData(openRowQuery(id).queryKey);
}

/** The key of a member's changes of a session. While they are under way, nothing older replaces what they show. */
export const changesOf = (sessionId: string): string[] => ['changeSession', sessionId];

const IN_NO_HISTORY = ['session_changed', 'read', 'session_created', 'ai_turn'];
const CHANGES_ITEMS = ['redacted', 'message_edited', 'message_deleted'];
const RECOUNT_MS = 1_000;

/** Returns what keeps the caches as the events say. Lists need nothing else; views are counted again once a second. */
export function createPatcher(client: QueryClient): (event: LiveEvent) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const recount = () => {
    if (timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      void client.invalidateQueries({ queryKey: ['countInbox'] });
    }, RECOUNT_MS);
  };
  return ({ type, session_id, row, ...item }) => {
    if (!IN_NO_HISTORY.includes(type)) addItems(client, session_id, [item]);
    if (CHANGES_ITEMS.includes(type)) void client.invalidateQueries({ queryKey: historyQuery(session_id).queryKey });
    if (row) placeRow(client, row);
    if (row === null) removeRow(client, session_id);
    const isChanging = client.isMutating({ mutationKey: changesOf(session_id) }) > 0; // it is read again at their end
    if (type !== 'message' && !isChanging) void client.invalidateQueries({ queryKey: ['getChatSession', session_id] });
    recount();
  };
}
