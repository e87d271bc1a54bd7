import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from './client';

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

export interface InboxFilters {
  view: string;
  q?: string | undefined;
}

export const inboxQuery = ({ view, q }: InboxFilters) =>
  infiniteQueryOptions({
    queryKey: ['listInbox', { view, q }],
    queryFn: ({ pageParam }) =>
      dataOf(api.GET('/inbox', { params: { query: { view, q: q || undefined, cursor: pageParam } } })),
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

export const tagSuggestionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['listTagSuggestions', id],
    queryFn: () => dataOf(api.GET('/chat/sessions/{id}/tag-suggestions', { params: { path: { id } } })),
  });
