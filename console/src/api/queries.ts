import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from './client';
import type { InboxFilters } from './inbox-filters';

export const HISTORY_PAGE = 50;
const TEAMS_PAGE = 100;

export const meQuery = queryOptions({
  queryKey: ['getMe'],
  queryFn: () => dataOf(api.GET('/me')),
  staleTime: 60_000,
});

export const viewsQuery = queryOptions({
  queryKey: ['listInboxViews'],
  queryFn: () => dataOf(api.GET('/views')),
  staleTime: 300_000,
});

export const countsQuery = (views: string[]) =>
  queryOptions({
    queryKey: ['countInbox', views],
    queryFn: () => dataOf(api.GET('/inbox/counts', { params: { query: { views: views.join(',') } } })),
    enabled: views.length > 0,
  });

/** Lists whose rows come and go with time are read again now and then. */
const AGEING_MS = 30_000;

export const inboxQuery = (filters: InboxFilters) =>
  infiniteQueryOptions({
    queryKey: ['listInbox', filters],
    queryFn: ({ pageParam }) => dataOf(api.GET('/inbox', { params: { query: { ...filters, cursor: pageParam } } })),
    refetchInterval: filters.view === 'breaching' || filters.sla !== undefined ? AGEING_MS : false,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });

export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ['getChatSession', id],
    queryFn: () => dataOf(api.GET('/chat/sessions/{id}', { params: { path: { id } } })),
  });

/** The history of a session, the newest items first. */
export const historyQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['listChatSessionHistory', id],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/chat/sessions/{id}/history', {
          params: { path: { id }, query: { order: 'desc', limit: HISTORY_PAGE, cursor: pageParam } },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });

export const notificationsQuery = queryOptions({
  queryKey: ['listMyNotifications'],
  queryFn: () => dataOf(api.GET('/me/notifications', { params: { query: { limit: 30 } } })),
  staleTime: 60_000,
});

export const ownOrgsQuery = queryOptions({
  queryKey: ['listMyOrgs'],
  queryFn: () => dataOf(api.GET('/me/orgs')),
  staleTime: 300_000,
});

export const membersQuery = queryOptions({
  queryKey: ['listMembers'],
  queryFn: () => dataOf(api.GET('/members')),
  staleTime: 300_000,
});

export const teamsQuery = queryOptions({
  queryKey: ['listTeams'],
  queryFn: async () => {
    const teams: Schemas['Team'][] = [];
    for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
      const page = await dataOf(api.GET('/teams', { params: { query: { cursor, limit: TEAMS_PAGE } } }));
      teams.push(...page.items);
      cursor = page.next ?? undefined;
    }
    return teams;
  },
  staleTime: 300_000,
});

export const tagsQuery = queryOptions({
  queryKey: ['listTags'],
  queryFn: () => dataOf(api.GET('/tags')),
  staleTime: 300_000,
});

export const statusesQuery = queryOptions({
  queryKey: ['listChatSessionStatuses'],
  queryFn: () => dataOf(api.GET('/chat/session-statuses')),
  staleTime: 300_000,
});

export const tagSuggestionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['listTagSuggestions', id],
    queryFn: () => dataOf(api.GET('/chat/sessions/{id}/tag-suggestions', { params: { path: { id } } })),
  });
