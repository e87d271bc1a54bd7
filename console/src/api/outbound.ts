import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { paths } from '../../generated/api';
import { api, dataOf } from './client';
import { PAGES } from './pages';
import { every } from './refetching/polling';

type Query<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Found } } }
  ? Omit<NonNullable<Found>, 'cursor' | 'limit'>
  : never;

/** Pages show the newest first, the API the oldest. */
const newestFirst = <Filters extends { order?: 'oldest' | 'newest' | undefined }>(filters: Filters) => ({
  ...filters,
  order: filters.order ?? ('newest' as const),
});

/** What is under way changes without an event: it is read again so often while the page is seen. */
const UNDER_WAY_MS = 5_000;
const LIST_AGAIN_MS = 15_000;

export type SequenceFilters = Pick<Query<'/sequences'>, 'status' | 'q' | 'order'>;

/** Sequences as fast as they can be read. Their figures come by another query. */
export const sequencesQuery = (filters: SequenceFilters) =>
  infiniteQueryOptions({
    queryKey: ['listSequences', filters],
    queryFn: ({ pageParam }) =>
      dataOf(api.GET('/sequences', { params: { query: { ...newestFirst(filters), cursor: pageParam } } })),
    ...PAGES,
  });

/** The same pages with the figures of each sequence, which take longer. */
export const sequenceFiguresQuery = (filters: SequenceFilters, pages: (string | undefined)[]) =>
  queryOptions({
    queryKey: ['listSequences', 'stats', filters, pages],
    queryFn: async () => {
      const read = await Promise.all(
        pages.map((cursor) =>
          dataOf(
            api.GET('/sequences', {
              params: { query: { ...newestFirst(filters), include: 'stats', cursor } },
            }),
          ),
        ),
      );
      return new Map(read.flatMap(({ items }) => items.map(({ id, stats }) => [id, stats] as const)));
    },
    refetchInterval: every(LIST_AGAIN_MS),
    placeholderData: (before) => before,
    enabled: pages.length > 0,
  });

export const sequenceQuery = (id: string) =>
  queryOptions({
    queryKey: ['getSequence', id],
    queryFn: () => dataOf(api.GET('/sequences/{id}', { params: { path: { id } } })),
    refetchInterval: every(LIST_AGAIN_MS),
  });

export const segmentQuery = (id: string) =>
  queryOptions({
    queryKey: ['getSegment', id],
    queryFn: () => dataOf(api.GET('/segments/{id}', { params: { path: { id } } })),
  });

export const statsQuery = (id: string, isUnderWay: boolean) =>
  queryOptions({
    queryKey: ['getSequenceStats', id],
    queryFn: () => dataOf(api.GET('/sequences/{id}/stats', { params: { path: { id } } })),
    refetchInterval: isUnderWay ? every(UNDER_WAY_MS) : false,
  });

export const seriesQuery = (id: string, bucket: 'hour' | 'day') =>
  queryOptions({
    queryKey: ['getSequenceSeries', id, bucket],
    queryFn: () => dataOf(api.GET('/sequences/{id}/series', { params: { path: { id }, query: { bucket } } })),
    refetchInterval: every(LIST_AGAIN_MS),
  });

export type EnrollmentFilters = Query<'/sequences/{id}/enrollments'>;

export const enrollmentsQuery = (id: string, filters: EnrollmentFilters) =>
  infiniteQueryOptions({
    queryKey: ['listEnrollments', id, filters],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/sequences/{id}/enrollments', {
          params: { path: { id }, query: { ...filters, cursor: pageParam, limit: 25 } },
        }),
      ),
    ...PAGES,
  });

/** Whom the question is about: an id, or an e-mail address. */
export const explanationQuery = (id: string, who: string) =>
  queryOptions({
    queryKey: ['explainContact', id, who],
    queryFn: () => {
      const query = who.includes('@') ? { email: who } : { contact_id: who };
      return dataOf(api.GET('/sequences/{id}/explain', { params: { path: { id }, query } }));
    },
    enabled: who !== '',
  });

export type DeliveryFilters = Query<'/deliveries'>;

export const deliveriesQuery = (filters: DeliveryFilters) =>
  infiniteQueryOptions({
    queryKey: ['listDeliveries', filters],
    queryFn: ({ pageParam }) =>
      dataOf(api.GET('/deliveries', { params: { query: { ...newestFirst(filters), cursor: pageParam } } })),
    ...PAGES,
  });

export const reasonsQuery = ({ order: _, reason: __, ...filters }: DeliveryFilters) =>
  queryOptions({
    queryKey: ['countDeliveryReasons', filters],
    queryFn: () => dataOf(api.GET('/deliveries/reasons', { params: { query: filters } })),
  });

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['getDelivery', id],
    queryFn: () => dataOf(api.GET('/deliveries/{id}', { params: { path: { id } } })),
    enabled: id !== '',
  });

export const domainsQuery = infiniteQueryOptions({
  queryKey: ['listCustomDomains'],
  queryFn: ({ pageParam }) => dataOf(api.GET('/email/domains', { params: { query: { cursor: pageParam } } })),
  ...PAGES,
});

export type SuppressionFilters = Query<'/suppressions'>;

export const suppressionsQuery = (filters: SuppressionFilters) =>
  infiniteQueryOptions({
    queryKey: ['listSuppressions', filters],
    queryFn: ({ pageParam }) =>
      dataOf(api.GET('/suppressions', { params: { query: { ...newestFirst(filters), cursor: pageParam } } })),
    ...PAGES,
  });
