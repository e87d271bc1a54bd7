import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from './client';
import { PAGES } from './pages';
import { patiently } from './refetching/patience';

export type Insight = Schemas['Insight'];
/** An insight of the list, with its sessions in each of the last weeks. */
export type ListedInsight = Insight & { trend: number[] };
export type Occurrence = Schemas['InsightOccurrences']['items'][number];
export type Operation = Schemas['InsightOperation'];

/** The filters of the list as they are in the address. A filter that means nothing is refused by the API. */
export type InsightSearch = Partial<
  Record<'q' | 'status' | 'category' | 'sentiment' | 'team' | 'channel' | 'sort' | 'days', string>
>;

const DAY_MS = 86_400_000;

/** Returns the body of a query. The list shows what is unresolved unless something else is chosen. */
function bodyOf({ q, status, category, sentiment, team, channel, sort, days }: InsightSearch, page: number) {
  const body = {
    search: q ?? null,
    status: status ?? 'unresolved',
    category: category ?? null,
    sentiment: sentiment ?? null,
    teamId: team ?? null,
    channel: channel ?? null,
    sortBy: sort ?? 'occurrence_count',
    sessionFromDate: days === undefined ? null : new Date(Date.now() - Number(days) * DAY_MS).toISOString(),
    trend: true,
    page,
  };
  return body as Schemas['InsightQuery'];
}

export const insightsQuery = (search: InsightSearch) =>
  infiniteQueryOptions({
    queryKey: ['queryInsights', search],
    queryFn: async ({ pageParam }) => {
      const page = await dataOf(api.POST('/insights', { body: bodyOf(search, pageParam) }));
      const items: ListedInsight[] = page.data.map((one, n) => ({ ...one, trend: page.trends?.[n] ?? [] }));
      return { items, total: page.total, next: page.page < page.totalPages ? page.page + 1 : undefined };
    },
    initialPageParam: 1,
    getNextPageParam: ({ next }) => next,
  });

export const insightQuery = (id: string) =>
  queryOptions({
    queryKey: ['getInsight', id],
    queryFn: () => dataOf(api.GET('/insights/{id}', { params: { path: { id } } })),
  });

/** What customers said about an insight, the latest first. */
export const occurrencesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['listInsightOccurrences', id],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/insights/{id}/occurrences', { params: { path: { id }, query: { cursor: pageParam, limit: 50 } } }),
      ),
    ...PAGES,
  });

/** Merges and splits of an insight, or of all. */
export const operationsQuery = (insight_id?: string) =>
  infiniteQueryOptions({
    queryKey: ['listInsightOperations', insight_id],
    queryFn: ({ pageParam }) =>
      dataOf(api.GET('/insights/operations', { params: { query: { insight_id, cursor: pageParam, limit: 50 } } })),
    ...PAGES,
  });

/** Returns whether a review was asked for and has not ended. */
export const isReviewAwaited = ({ requested_at, reviewed_at }: Schemas['InsightProposals']): boolean =>
  requested_at !== null && (reviewed_at === null || reviewed_at < requested_at);

export const proposalsQuery = queryOptions({
  queryKey: ['listInsightProposals'],
  queryFn: () => dataOf(api.GET('/insights/proposals')),
  refetchInterval: ({ state: { data, error } }) =>
    error === null && data?.requested_at != null && isReviewAwaited(data) ? patiently(data.requested_at) : false,
});

export const categoriesQuery = queryOptions({
  queryKey: ['getInsightCategories'],
  queryFn: () => dataOf(api.GET('/insights/categories')),
  staleTime: 60_000,
});

/** The operations with answers about insights. */
export const INSIGHT_READS = new Set([
  'queryInsights',
  'getInsight',
  'listInsightOccurrences',
  'listInsightOperations',
  'listInsightProposals',
]);
