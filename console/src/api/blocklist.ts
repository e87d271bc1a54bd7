import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from './client';

const NUMBERED = {
  initialPageParam: 1,
  getNextPageParam: ({ page, total_pages }: { page: number; total_pages: number }) =>
    page < total_pages ? page + 1 : undefined,
};
const PAGE = 100;

/** What all queries of blocks begin with: a change of one makes them stale. */
export const BLOCKS = ['listBlocked'] as const;

/** What blocks an e-mail: itself, or its domain. */
export const blockingQuery = (email: string) =>
  queryOptions({
    queryKey: [...BLOCKS, 'of', email],
    queryFn: async () => {
      const params = { query: { email, limit: 1 } };
      const [contacts, domains] = await Promise.all([
        dataOf(api.GET('/blocklist/contacts', { params })),
        dataOf(api.GET('/blocklist/domains', { params })),
      ]);
      return { address: contacts.data[0], domain: domains.data[0] };
    },
  });

export const blockedAddressesQuery = infiniteQueryOptions({
  queryKey: [...BLOCKS, 'addresses'],
  queryFn: ({ pageParam: page }) =>
    dataOf(api.GET('/blocklist/contacts', { params: { query: { page, limit: PAGE } } })),
  ...NUMBERED,
});

export const blockedDomainsQuery = infiniteQueryOptions({
  queryKey: [...BLOCKS, 'domains'],
  queryFn: ({ pageParam: page }) => dataOf(api.GET('/blocklist/domains', { params: { query: { page, limit: PAGE } } })),
  ...NUMBERED,
});
