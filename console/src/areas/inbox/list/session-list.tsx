import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { InboxRow } from '../../../api/caches';
import type { Schemas } from '../../../api/client';
import { FIRST_VIEW, type InboxFilters } from '../../../api/inbox-filters';
import { openRowQuery, rowsOf } from '../../../api/inbox-lists';
import { countsQuery, historyQuery, inboxQuery, sessionQuery } from '../../../api/queries';
import { useKeys } from '../../../ui/keys';
import { lazily } from '../../../ui/lazily';
import { useSelection } from '../../../ui/lists/selection';
import { Button, Empty, failureOf, lookOf, Skeleton } from '../../../ui/parts';
import { useJobs } from '../bulk/jobs';
import { ListHead } from './list-head';
import { Rows } from './rows';

const BulkBar = lazily(async () => (await import('../bulk/bulk-bar')).BulkBar);
const JobBars = lazily(async () => (await import('../bulk/job-bars')).JobBars);

interface ListProps {
  me: Schemas['Me'];
  views: Schemas['InboxView'][];
  filters: InboxFilters;
  openId: string | undefined;
  /** Whether the pane of the views is folded: the list names its view itself. */
  isFolded: boolean;
}

/** The conversations of a view, and what can be done with many of them. */
export const SessionList = ({ me, views, filters, openId, isFolded }: ListProps) => {
  const list = useInfiniteQuery(inboxQuery(filters));
  const of = JSON.stringify(filters);
  const rows = useShownRows(list.data === undefined ? undefined : rowsOf(list.data), { openId, of });
  const canWrite = me.scopes.includes('chat-sessions:write');
  const selection = useSelection(rows, { isActive: canWrite, of });
  useListKeys({ rows, filters, openId, selection });
  usePrefetch(rows, openId);
  const jobs = useJobs(me.org.id);
  const hasMore = list.hasNextPage || rows.some(({ id }) => !selection.ids.has(id));
  return (
    <>
      {selection.size > 0 ? (
        <BulkBar me={me} filters={filters} selection={selection} hasMore={hasMore} />
      ) : (
        <ListHead views={views} filters={filters} canWrite={canWrite} isFolded={isFolded} />
      )}
      {jobs.length > 0 && <JobBars kind="session" orgId={me.org.id} jobs={jobs} />}
      {failureOf(list)}
      {list.isPending && <Skeleton rows={8} />}
      {list.isSuccess && rows.length === 0 && (
        <EmptyList view={views.find(({ id }) => id === filters.view)} filters={filters} />
      )}
      {rows.length > 0 && (
        <Rows
          key={of}
          rows={rows}
          filters={filters}
          openId={openId}
          memberId={me.member?.id}
          selection={canWrite ? selection : undefined}
          onEnd={() => list.hasNextPage && !list.isFetchingNextPage && void list.fetchNextPage()}
        />
      )}
    </>
  );
};

const EMPTY: Record<string, [title: string, hint: string]> = {
  mine: ['Nothing is yours', 'Conversations that are assigned to you appear here.'],
  unassigned: ['Everything has somebody', 'Conversations that nobody answers appear here.'],
  waiting: ['Nobody waits', 'Customers who wait for your team appear here, the longest first.'],
  breaching: ['Every target is met', 'Conversations near or behind a target appear here.'],
  snoozed: ['Nothing sleeps', 'Snoozed conversations are here until they wake.'],
};

const EmptyList = ({ view, filters }: { view: Schemas['InboxView'] | undefined; filters: InboxFilters }) => {
  const navigate = useNavigate();
  const { view: id, ...given } = filters;
  const isFiltered = Object.values(given).some((value) => value !== undefined);
  const [title, hint] = EMPTY[id] ?? [
    `Nothing is in ${view?.name ?? 'this view'}`,
    'New conversations appear by themselves.',
  ];
  if (!isFiltered)
    return (
      <Empty title={title}>
        {hint}
        {id === FIRST_VIEW && <Waiting />}
      </Empty>
    );
  return (
    <Empty title="Nothing was found">
      {filters.q === undefined ? 'No conversation meets the filters.' : 'Search for other words, or #12.'}
      <Button className="mx-auto mt-3 flex" onClick={() => void navigate({ to: '/inbox', search: { view: id } })}>
        Clear the filters
      </Button>
    </Empty>
  );
};

/** Leads a member without own conversations to those of others. */
const Waiting = () => {
  const count = useQuery(countsQuery(['waiting'])).data?.counts.waiting?.total ?? 0;
  if (count === 0) return null;
  return (
    <Link to="/inbox" search={{ view: 'waiting' }} className={`${lookOf('plain')} mt-3 text-text`}>
      {count === 1 ? '1 customer waits' : `${count} customers wait`} for your team
    </Link>
  );
};

/**
 * Returns the rows, with the open one in its former place if it has left the list. A conversation never jumps away while
 * it is read. It still shows its news there.
 */
function useShownRows(listed: InboxRow[] | undefined, { openId, of }: { openId: string | undefined; of: string }) {
  const client = useQueryClient();
  const former = useRef<{ id: string; at: number; of: string }>(undefined);
  const row = useQuery(openRowQuery(openId)).data;
  const rows = listed ?? [];
  const at = rows.findIndex(({ id }) => id === openId);
  const open = rows[at];
  useEffect(() => {
    if (open !== undefined) client.setQueryData(openRowQuery(open.id).queryKey, open);
  }, [client, open]);
  if (open !== undefined) former.current = { id: open.id, at, of };
  const left = former.current;
  const isListed = open !== undefined || listed === undefined;
  if (isListed || row === undefined || left?.id !== openId || left?.of !== of) return rows;
  return rows.toSpliced(Math.min(left.at, rows.length), 0, row);
}

const [DOWN, UP, OPEN, CLOSE] = ['ArrowDown', 'ArrowUp', 'Enter', 'Escape'] as const;

interface KeysProps {
  rows: InboxRow[];
  filters: InboxFilters;
  openId: string | undefined;
  selection: ReturnType<typeof useSelection>;
}

function useListKeys({ rows, filters, openId, selection }: KeysProps): void {
  const navigate = useNavigate();
  const open = (step: number) => {
    const at = rows.findIndex(({ id }) => id === openId);
    const row = rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
    if (row !== undefined) void navigate({ to: '/s/$id', params: { id: row.id }, search: filters });
    return row;
  };
  const extend = (step: number) => {
    const row = open(step);
    selection.add(...[openId, row?.id].filter((id) => id !== undefined));
  };
  const leave = () => {
    if (selection.size > 0) selection.clear();
    else void navigate({ to: '/inbox', search: filters });
  };
  useKeys({
    j: () => void open(1),
    [DOWN]: () => void open(1),
    k: () => void open(-1),
    [UP]: () => void open(-1),
    [CLOSE]: leave,
    [OPEN]: () => document.querySelector<HTMLElement>('[role=log]')?.focus(),
    x: () => openId !== undefined && selection.toggle(openId),
    'Shift+j': () => extend(1),
    'Shift+ArrowDown': () => extend(1),
    'Shift+k': () => extend(-1),
    'Shift+ArrowUp': () => extend(-1),
    'Mod+a': selection.addAll,
  });
}

const NEIGHBOURS = [1, 2, -1];
const FRESH_MS = 60_000;
const shownOnceOpen = () => {};

/** Reads what the next keys open. */
function usePrefetch(rows: InboxRow[], openId: string | undefined): void {
  const client = useQueryClient();
  const current = useRef(rows);
  current.current = rows;
  useEffect(() => {
    const at = current.current.findIndex(({ id }) => id === openId);
    for (const step of NEIGHBOURS) {
      const id = current.current[at + step]?.id;
      if (id === undefined) continue;
      client.query({ ...sessionQuery(id), staleTime: FRESH_MS }).catch(shownOnceOpen);
      client.infiniteQuery({ ...historyQuery(id), staleTime: FRESH_MS }).catch(shownOnceOpen);
    }
  }, [client, openId]);
}
