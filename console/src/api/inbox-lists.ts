import { type InfiniteData, type QueryClient, queryOptions, skipToken } from '@tanstack/react-query';
import type { Schemas } from './client';
import { fits, type InboxFilters, inOrder, type ListFilters } from './inbox-filters';
import { meQuery, viewsQuery } from './queries';

type InboxRow = Schemas['InboxRow'];
type List = InfiniteData<{ items: InboxRow[]; next: string | null }>;

/** The row of a conversation opened in a list, as events keep it. It is shown even after it has left the list. */
export const openRowQuery = (id: string | undefined) =>
  queryOptions<InboxRow>({ queryKey: ['openRow', id], queryFn: skipToken });

/** Moves a row to its new place in each list already read. An event causes no further read. */
export function placeRow(client: QueryClient, row: InboxRow): void {
  const memberId = client.getQueryData(meQuery.queryKey)?.member?.id;
  const views = client.getQueryData(viewsQuery.queryKey)?.items ?? [];
  client.setQueryData(openRowQuery(row.id).queryKey, (known) => known && row);
  for (const [queryKey, list] of client.getQueriesData<List>({ queryKey: ['listInbox'] })) {
    if (list === undefined) continue;
    const { view, ...given } = queryKey[1] as InboxFilters;
    const ofView = views.find(({ id }) => id === view)?.query;
    if (ofView === undefined) void client.invalidateQueries({ queryKey });
    else client.setQueryData(queryKey, placed(list, row, { filters: { ...ofView, ...given }, memberId }));
  }
}

/** Takes the row of a deleted session out of all lists. */
export function removeRow(client: QueryClient, id: string): void {
  client.removeQueries({ queryKey: openRowQuery(id).queryKey });
  client.setQueriesData<List>(
    { queryKey: ['listInbox'] },
    (list) =>
      list &&
      withRows(
        list,
        rowsOf(list).filter((row) => row.id !== id),
      ),
  );
}

/** Returns the rows of a list, each once: one that moved may be on two pages. */
export function rowsOf({ pages }: Pick<List, 'pages'>): InboxRow[] {
  const rows = new Map<string, InboxRow>();
  for (const page of pages) for (const row of page.items) if (!rows.has(row.id)) rows.set(row.id, row);
  return [...rows.values()];
}

interface Reader {
  filters: ListFilters;
  memberId: number | undefined;
}

function placed(list: List, row: InboxRow, reader: Reader): List {
  const rows = rowsOf(list);
  const at = rows.findIndex(({ id }) => id === row.id);
  const fitting = fits(row, reader);
  if (fitting === undefined) return at < 0 ? list : withRows(list, rows.with(at, row));
  const others = at < 0 ? rows : rows.toSpliced(at, 1);
  if (!fitting) return at < 0 ? list : withRows(list, others);
  return withRows(list, inserted(others, row, { compare: inOrder(reader.filters.order), isWhole: isWhole(list) }));
}

const isWhole = ({ pages }: List): boolean => pages.at(-1)?.next === null;

interface Place {
  compare: (one: InboxRow, other: InboxRow) => number;
  isWhole: boolean;
}

/** Inserts a row in its order. One behind the end of what was read comes with the next page. */
function inserted(rows: InboxRow[], row: InboxRow, { compare, isWhole }: Place): InboxRow[] {
  const at = rows.findIndex((other) => compare(row, other) < 0);
  if (at >= 0) return rows.toSpliced(at, 0, row);
  return isWhole ? [...rows, row] : rows;
}

/** The cursors of pages stay: each continues behind a position, whatever is before it. */
const withRows = (list: List, rows: InboxRow[]): List => ({
  ...list,
  pages: list.pages.map((page, n) => ({ ...page, items: n === 0 ? rows : [] })),
});
