import type { QueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from './client';
import { HISTORY_PAGE, historyQuery } from './queries';

/** Adds items to the history of a session that was read, each once, with the newest first. */
export function addItems(client: QueryClient, sessionId: string, items: Schemas['HistoryItem'][]): void {
  client.setQueryData(historyQuery(sessionId).queryKey, (history) => {
    const [newest, ...older] = history?.pages ?? [];
    if (history === undefined || newest === undefined) return history;
    const known = new Set(history.pages.flatMap((page) => page.items.map(({ id }) => id)));
    const added = items.filter(({ id }) => !known.has(id));
    return added.length === 0
      ? history
      : { ...history, pages: [{ ...newest, items: [...added, ...newest.items] }, ...older] };
  });
}

/** Reads the newest items of a history. All of it is read again only if more came than one request answers. */
export async function refreshNewest(client: QueryClient, id: string): Promise<void> {
  const { queryKey } = historyQuery(id);
  const query = { order: 'desc', limit: HISTORY_PAGE } as const;
  const { items } = await dataOf(api.GET('/chat/sessions/{id}/history', { params: { path: { id }, query } }));
  const known = new Set(client.getQueryData(queryKey)?.pages[0]?.items.map((item) => item.id));
  if (known.size === 0 || items.some((item) => known.has(item.id))) addItems(client, id, items);
  else await client.invalidateQueries({ queryKey });
}
