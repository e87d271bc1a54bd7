import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, api, dataOf, type Schemas } from '../../../api/client';

export interface Draft {
  kind: 'reply' | 'note';
  text: string;
  attachments: Schemas['KeptFile'][];
}

interface Entry extends Draft {
  state: 'stored' | 'waiting' | 'failed';
  /** Why it is not stored, as the API says it. */
  problem?: string | undefined;
}

const EMPTY: Draft = { kind: 'reply', text: '', attachments: [] };
const STORE_AFTER_MS = 500;
const RETRY_AFTER_MS = 5_000;
/** Requests that outlive their page may have 64 KB. */
const MAX_KEEPALIVE_LENGTH = 20_000;
/** Statuses that another try would get again. */
const LASTING = [400, 403, 404, 413, 422];

export const isEmpty = ({ text, attachments }: Draft): boolean => text.trim() === '' && attachments.length === 0;

/** The member's draft in a session. Text not stored yet is never replaced by the server's. */
const draftQuery = (id: string) =>
  queryOptions({
    queryKey: ['getMyDraft', id],
    queryFn: async ({ client }): Promise<Entry> => {
      const { draft } = await dataOf(api.GET('/chat/sessions/{id}/draft', { params: { path: { id } } }));
      const mine = client.getQueryData(draftQuery(id).queryKey);
      return mine !== undefined && mine.state !== 'stored' ? mine : { ...(draft ?? EMPTY), state: 'stored' };
    },
    staleTime: 0,
    gcTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

const timers = new Map<string, ReturnType<typeof setTimeout>>();
const writes = new Map<string, Promise<void>>();

function storeAfter(client: QueryClient, id: string, delayMs: number): void {
  clearTimeout(timers.get(id));
  timers.set(
    id,
    setTimeout(() => store(client, id), delayMs),
  );
}

/** Stores a draft behind the writes of the same session that are under way. */
function store(client: QueryClient, id: string): void {
  clearTimeout(timers.get(id));
  const write = (writes.get(id) ?? Promise.resolve()).then(() => storeNow(client, id));
  writes.set(id, write);
}

async function storeNow(client: QueryClient, id: string): Promise<void> {
  const { queryKey } = draftQuery(id);
  const draft = client.getQueryData(queryKey);
  if (draft === undefined || draft.state === 'stored') return;
  const settle = (end: Pick<Entry, 'state' | 'problem'>) =>
    client.setQueryData(queryKey, (now) => (now && isSame(now, draft) ? { ...now, ...end } : now));
  try {
    await put(id, draft);
    settle({ state: 'stored', problem: undefined });
  } catch (error) {
    settle({ state: 'failed', problem: error instanceof Error ? error.message : String(error) });
    if (!(error instanceof ApiError && LASTING.includes(error.status))) storeAfter(client, id, RETRY_AFTER_MS);
  }
}

const isSame = (one: Draft, other: Draft): boolean =>
  one.kind === other.kind && one.text === other.text && one.attachments === other.attachments;

function put(id: string, draft: Draft): Promise<unknown> {
  const params = { path: { id } };
  if (isEmpty(draft)) return dataOf(api.DELETE('/chat/sessions/{id}/draft', { params, keepalive: true }));
  const attachments = draft.attachments.map((file) => ({ id: file.id }));
  const body = { kind: draft.kind, text: draft.text, attachments };
  const keepalive = draft.text.length < MAX_KEEPALIVE_LENGTH;
  return dataOf(api.PUT('/chat/sessions/{id}/draft', { params, body, keepalive }));
}

/** Keeps the draft of a session here and on the server. It is stored soon after each change, and when the session is left. */
export function useDraft(id: string) {
  const client = useQueryClient();
  const { data, isPending, error } = useQuery(draftQuery(id));
  /** React has to know of a change at once, or the caret jumps to the end. */
  const [typed, setTyped] = useState<Draft>();
  const draft = typed ?? data ?? EMPTY;
  /** Later arrivals, such as an uploaded file, join the current text. */
  const latest = useRef(draft);
  latest.current = draft;
  useStoredOnLeaving(id, data?.state === 'failed');
  const change = useCallback(
    (changeOf: (now: Draft) => Partial<Draft>) => {
      const { queryKey } = draftQuery(id);
      const { kind, text, attachments } = latest.current;
      const next = { kind, text, attachments, ...changeOf(latest.current) };
      latest.current = next;
      setTyped(next);
      void client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, { ...next, state: 'waiting' });
      storeAfter(client, id, isEmpty(next) ? 0 : STORE_AFTER_MS);
    },
    [client, id],
  );
  return {
    draft,
    isRead: !isPending,
    state: data?.state ?? 'stored',
    problem: data?.problem ?? error?.message,
    change,
    clear: useCallback(() => change(() => EMPTY), [change]),
    retry: useCallback(() => store(client, id), [client, id]),
  };
}

function useStoredOnLeaving(id: string, isFailed: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    const leave = () => store(client, id);
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [client, id]);
  useEffect(() => {
    if (!isFailed) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isFailed]);
}
