import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { type HistoryItem, patchRows } from '../../api/caches';
import { api, type Schemas } from '../../api/client';
import { historyQuery } from '../../api/queries';
import { Button, Failure, Skeleton } from '../../ui/parts';
import { shownDay } from '../../ui/time';
import type { Actions } from './actions';
import { Confirmations } from './confirmations';
import { Happenings, isSaid } from './happenings';
import { Message } from './message';

interface ThreadProps {
  session: Schemas['ChatSession'];
  actions: Actions;
  canDecide: boolean;
}

/** A history with the newest at the bottom, where it opens and stays while it is at its end. */
export const Thread = ({ session, actions, canDecide }: ThreadProps) => {
  const history = useInfiniteQuery(historyQuery(session.id));
  const items = (history.data?.pages ?? []).flatMap((page) => page.items).toReversed();
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const newest = items.at(-1)?.id;
  useRead(session.id, newest);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new item moves the thread
  useLayoutEffect(() => {
    if (isAtEnd.current) scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }, [newest]);
  return (
    <div
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it only where it has the focus
      tabIndex={0}
      role="log"
      aria-label="Messages"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 80;
      }}
      className="min-h-0 flex-1 overflow-y-auto p-4"
    >
      {history.error !== null && <Failure error={history.error} onRetry={() => void history.refetch()} />}
      {history.isPending && <Skeleton rows={5} />}
      {history.hasNextPage && (
        <div className="mb-3 text-center">
          <Button disabled={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
            Show earlier messages
          </Button>
        </div>
      )}
      {groupsOf(items).map((group) => (
        <Group key={group.items[0]?.id} {...group} />
      ))}
      <Confirmations sessionId={session.id} actions={actions} canDecide={canDecide} />
    </div>
  );
};

/** Marks what is shown as read, while the page is looked at. */
function useRead(id: string, newest: string | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (newest === undefined || document.visibilityState === 'hidden') return;
    patchRows(client, id, (row) => ({ ...row, unread: row.unread === null ? null : false }));
    void api.POST('/chat/sessions/{id}/read', { params: { path: { id } }, body: {} });
  }, [client, id, newest]);
}

interface ItemGroup {
  day: string | undefined;
  items: HistoryItem[];
}

/** Returns each message by itself, and what happened between messages as one. The first of a day has its name. */
function groupsOf(items: HistoryItem[]): ItemGroup[] {
  const groups: ItemGroup[] = [];
  let lastDay = '';
  for (const item of items) {
    const day = shownDay(item.created_at);
    const last = groups.at(-1);
    if (day === lastDay && last?.items[0] && !isSaid(item) && !isSaid(last.items[0])) last.items.push(item);
    else groups.push({ day: day === lastDay ? undefined : day, items: [item] });
    lastDay = day;
  }
  return groups;
}

const Group = ({ day, items }: ItemGroup) => (
  <>
    {day !== undefined && <div className="my-3 text-center text-xs text-quiet">{day}</div>}
    {items[0] !== undefined && isSaid(items[0]) ? <Message item={items[0]} /> : <Happenings items={items} />}
  </>
);
