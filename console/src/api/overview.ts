import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from './client';

/** No event tells of work for a person, or of a contact's history. */
const AGAIN_MS = 30_000;
const FIRST_ROWS = 5;
const DAY_MS = 86_400_000;

export const attentionQuery = queryOptions({
  queryKey: ['listAttention'],
  queryFn: () => dataOf(api.GET('/org/attention')),
  refetchInterval: AGAIN_MS,
});

/** Who waits longest for a person. */
export const longestWaitingQuery = queryOptions({
  queryKey: ['longestWaiting'],
  queryFn: () => dataOf(api.GET('/inbox', { params: { query: { view: 'waiting', limit: FIRST_ROWS } } })),
  refetchInterval: AGAIN_MS,
});

/** Conversations that were opened in the last 24 hours. */
export const dayReportQuery = queryOptions({
  queryKey: ['reportConversations', 'last day'],
  queryFn: async () => {
    const from = new Date(Date.now() - DAY_MS).toISOString();
    const report = await dataOf(api.GET('/analytics/conversations', { params: { query: { from } } }));
    return typeof report === 'string' ? null : report.totals; // a text is a CSV, which was not asked for
  },
  staleTime: 60_000,
});

/** All contacts, or those most like some words, which come in one page. */
export const contactsQuery = (q: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['listContacts', q],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/contacts', {
          params: { query: q === undefined ? { cursor: pageParam } : { q, limit: 100 } },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });

export const contactQuery = (id: string) =>
  queryOptions({
    queryKey: ['getContact', id],
    queryFn: () => dataOf(api.GET('/contacts/{id}', { params: { path: { id } } })),
    refetchInterval: AGAIN_MS,
  });

export type TimelineItem = Schemas['TimelineItem'];

export const timelineQuery = (id: string, kinds: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['listContactTimeline', id, kinds],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/contacts/{id}/timeline', {
          params: { path: { id }, query: { kinds, cursor: pageParam, limit: 25 } },
        }),
      ),
    refetchInterval: AGAIN_MS,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });

export const searchQuery = (q: string) =>
  queryOptions({
    queryKey: ['searchAll', q],
    queryFn: () => dataOf(api.GET('/search', { params: { query: { q } } })),
    enabled: q !== '',
    gcTime: 0, // what was redacted meanwhile is not shown again
  });
