import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from './client';
import { PAGES } from './pages';
import { every } from './refetching/polling';

export type Article = Schemas['Training'];
export type Website = Schemas['WebsiteDatasource'];
export type Crawl = Schemas['CrawlJob'];
export type CrawlPage = Schemas['CrawlPage'];

const UNDER_WAY_MS = 2_000;
const MOST = 100;

/** Reads all of a list of few. */
async function allOf<Item>(read: (cursor?: string) => Promise<{ items: Item[]; next: string | null }>) {
  const items: Item[] = [];
  for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
    const page = await read(cursor);
    items.push(...page.items);
    cursor = page.next ?? undefined;
  }
  return items;
}

export const collectionsQuery = queryOptions({
  queryKey: ['listTrainingDirectories'],
  queryFn: () =>
    allOf((cursor) => dataOf(api.GET('/training/directories', { params: { query: { cursor, limit: MOST } } }))),
});

export const articlesQuery = (filters: { directory_id?: string | undefined }) =>
  infiniteQueryOptions({
    queryKey: ['listTraining', filters],
    queryFn: ({ pageParam }) =>
      dataOf(api.GET('/training', { params: { query: { ...filters, cursor: pageParam, limit: 25 } } })),
    ...PAGES,
  });

export const articleQuery = (id: string) =>
  queryOptions({
    queryKey: ['getTraining', id],
    queryFn: () => dataOf(api.GET('/training/{id}', { params: { path: { id } } })),
    refetchOnWindowFocus: false,
  });

/** All kept versions of an article, the newest first: at most a hundred. */
export const articleVersionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['listTrainingVersions', id],
    queryFn: async () => {
      const read = (cursor?: string) =>
        dataOf(api.GET('/training/{id}/versions', { params: { path: { id }, query: { cursor, limit: 25 } } }));
      return (await allOf(read)).reverse();
    },
  });

export const helpArticlesQuery = (q: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['listHelpCenterArticles', q],
    queryFn: ({ pageParam }) =>
      dataOf(api.GET('/help-center/articles', { params: { query: { q, cursor: pageParam, limit: 50 } } })),
    ...PAGES,
  });

export const helpArticleQuery = (id: string) =>
  queryOptions({
    queryKey: ['getHelpCenterArticle', id],
    queryFn: () => dataOf(api.GET('/help-center/articles/{id}', { params: { path: { id } } })),
  });

/** What readers say of an article: the numbers by language, and their sentences. */
export const helpFeedbackQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['getHelpCenterFeedback', id],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/help-center/articles/{id}/feedback', {
          params: { path: { id }, query: { cursor: pageParam, limit: 20 } },
        }),
      ),
    ...PAGES,
  });

export const websitesQuery = infiniteQueryOptions({
  queryKey: ['listWebsites'],
  queryFn: ({ pageParam }) => dataOf(api.GET('/crawl', { params: { query: { cursor: pageParam, limit: 50 } } })),
  ...PAGES,
});

/** How far a model has embedded the knowledge, read again every few seconds until it has been through all of it. */
export const embeddingQuery = queryOptions({
  queryKey: ['getLlmIntegration', 'embedding'],
  queryFn: async () => (await dataOf(api.GET('/integrations/llm'))).embedding,
  refetchInterval: ({ state }) =>
    state.data === undefined || isEmbedding(state.data) ? every(UNDER_WAY_MS)({ state }) : false,
});

/** Returns whether a model has not gone through all of the knowledge. */
export const isEmbedding = ({ model, answering, passages, embedded, left_out }: Schemas['EmbeddingInUse']): boolean =>
  model !== null && passages > 0 && (answering !== model || embedded + left_out < passages);

/** A website with its counts and the crawl that is under way, read again every few seconds while there is one. */
export const websiteQuery = (id: string) =>
  queryOptions({
    queryKey: ['getWebsite', id],
    queryFn: () => dataOf(api.GET('/crawl/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state }) => every(state.data?.active_crawl_job == null ? 15_000 : UNDER_WAY_MS)({ state }),
  });

/** All crawls of a website, the newest first. */
export const crawlsQuery = (id: string) =>
  queryOptions({
    queryKey: ['listCrawls', id],
    queryFn: async () => {
      const read = (cursor?: string) =>
        dataOf(api.GET('/crawl/{id}/crawls', { params: { path: { id }, query: { cursor, limit: MOST } } }));
      return (await allOf(read)).reverse();
    },
  });

export const crawlChangesQuery = (id: string, jobId: string, kind: Schemas['CrawlChange']['kind'] | undefined) =>
  infiniteQueryOptions({
    queryKey: ['listCrawlChanges', id, jobId, kind],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/crawl/{id}/crawls/{jobId}/changes', {
          params: { path: { id, jobId }, query: { kind, cursor: pageParam, limit: 50 } },
        }),
      ),
    ...PAGES,
  });

export interface CrawlPageFilters {
  status?: CrawlPage['status'] | undefined;
  reason?: NonNullable<CrawlPage['reason']> | undefined;
  q?: string | undefined;
}

export const crawlPagesQuery = (id: string, filters: CrawlPageFilters) =>
  infiniteQueryOptions({
    queryKey: ['listCrawlPages', id, filters],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/crawl/{id}/pages', {
          params: { path: { id }, query: { ...filters, cursor: pageParam, limit: 50 } },
        }),
      ),
    ...PAGES,
  });

/** A search as an answer of the AI makes it, with how each score came about. */
export const knowledgeSearchQuery = (query: string, visibility: 'public' | 'internal' | undefined) =>
  queryOptions({
    queryKey: ['searchTraining', query, visibility],
    queryFn: () =>
      dataOf(
        api.POST('/training/search', {
          body: { query, explain: true, limit: 10, ...(visibility !== undefined && { visibility: [visibility] }) },
        }),
      ),
    enabled: query !== '',
  });
