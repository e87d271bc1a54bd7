import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { historyQuery } from '../../../api/queries';
import { isBy, isSaid } from '../thread/items';
import { type Draft, type DraftRef, draftsIn, draftsQuery, showKind } from './draft-entries';
import { changeDraft, clearSent, store, tabs } from './draft-store';

const KINDS = ['reply', 'note'] as const;

/** Keeps the drafts of a session here and on the server: they are stored soon after each change, and when it is left. */
export function useDraft(id: string, memberId: number | undefined) {
  const client = useQueryClient();
  const { isPending, error } = useQuery({
    ...draftsQuery(id),
    notifyOnChangeProps: ['data', 'isPending', 'error'],
  });
  /** React has to know of a change at once, or the caret jumps to the end: a query tells of it later. */
  const [, show] = useState({});
  const drafts = draftsIn(client, id);
  const { kind } = drafts;
  const { text, attachments, state, theirs, problem = error?.message } = drafts[kind];
  const isUnsafe = KINDS.some((one) => ['failed', 'changed'].includes(drafts[one].state));
  useStoredOnLeaving(id, isUnsafe);
  useNews(id, memberId);
  const actions = useMemo(() => {
    const refOf = (one: Draft['kind']): DraftRef => ({ client, id, kind: one });
    const shown =
      <Rest extends unknown[]>(act: (ref: DraftRef, ...rest: Rest) => void) =>
      (one: Draft['kind'], ...rest: Rest) => {
        act(refOf(one), ...rest);
        show({});
      };
    return {
      change: shown(changeDraft),
      show: shown(showKind),
      store: shown(store),
      clear: shown(clearSent),
    };
  }, [client, id]);
  const draft: Draft = { kind, text, attachments };
  return { ref: { client, id, kind }, draft, drafts, isRead: !isPending, state, theirs, problem, ...actions };
}

/** Reads the drafts again where they may have changed elsewhere: another tab stores one, or the member has sent one. */
function useNews(id: string, memberId: number | undefined): void {
  const client = useQueryClient();
  const { data: lastSaid } = useInfiniteQuery({
    ...historyQuery(id),
    select: ({ pages }) => pages[0]?.items.find((item) => isSaid(item) && isBy(item, memberId))?.id ?? null,
  });
  const known = useRef(lastSaid);
  useEffect(() => {
    if (known.current !== undefined && known.current !== lastSaid) void client.invalidateQueries(draftsQuery(id));
    known.current = lastSaid;
  }, [client, id, lastSaid]);
  useEffect(() => {
    const read = () => void client.invalidateQueries(draftsQuery(id));
    const onTab = ({ data }: MessageEvent<string>) => data === id && read();
    tabs.addEventListener('message', onTab);
    window.addEventListener('focus', read);
    return () => {
      tabs.removeEventListener('message', onTab);
      window.removeEventListener('focus', read);
    };
  }, [client, id]);
}

function useStoredOnLeaving(id: string, isUnsafe: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    const leave = () => {
      for (const kind of KINDS) store({ client, id, kind });
    };
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [client, id]);
  useEffect(() => {
    if (!isUnsafe) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isUnsafe]);
}
