import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from './client';
import { every } from './refetching/polling';

export type RunRow = Schemas['WorkflowRunRow'];
export type Run = Schemas['WorkflowRun'];
export type RunStep = Schemas['WorkflowRunStep'];
export type RunFilters = Schemas['WorkflowRunFilters'];

const PAGE = 50;
const WORKFLOWS_PAGE = 100;

const readRuns = (filters: RunFilters, cursor?: string) =>
  dataOf(api.GET('/runs', { params: { query: { ...filters, cursor, limit: PAGE } } }));

/** Runs, newest first. What is new at its top comes by `newestRunsQuery`. */
export const runsQuery = (filters: RunFilters) =>
  infiniteQueryOptions({
    queryKey: ['listRuns', filters],
    queryFn: ({ pageParam }) => readRuns(filters, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    refetchOnWindowFocus: false,
  });

/** The first page of a list, read again every few seconds while it is looked at. */
export const newestRunsQuery = (filters: RunFilters) =>
  queryOptions({
    queryKey: ['listNewestRuns', filters],
    queryFn: () => readRuns(filters),
    refetchInterval: every(4_000),
    staleTime: 0,
  });

export interface StatsRange {
  workflow_id?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export const runStatsQuery = (range: StatsRange) =>
  queryOptions({
    queryKey: ['countRuns', range],
    queryFn: () => dataOf(api.GET('/runs/stats', { params: { query: range } })),
    refetchInterval: range.to === undefined ? every(15_000) : false,
    placeholderData: (before) => before,
  });

/** The runs of each workflow since some days ago. */
export const workflowStatsQuery = (days: number) =>
  queryOptions({
    queryKey: ['countRuns', 'workflows', days],
    queryFn: () => {
      const from = new Date(Date.now() - days * 86_400_000).toISOString();
      return dataOf(api.GET('/runs/stats', { params: { query: { from, buckets: 1, by_workflow: 'true' } } }));
    },
    refetchInterval: every(15_000),
  });

/** A run with its steps, page by page in the order in which they began. */
export const runQuery = (runId: string) =>
  infiniteQueryOptions({
    queryKey: ['getRun', runId],
    queryFn: ({ pageParam }) =>
      dataOf(api.GET('/runs/{runId}', { params: { path: { runId }, query: { cursor: pageParam } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });

export const workflowsQuery = infiniteQueryOptions({
  queryKey: ['listWorkflows'],
  queryFn: ({ pageParam }) =>
    dataOf(api.GET('/workflows', { params: { query: { cursor: pageParam, limit: WORKFLOWS_PAGE } } })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.next ?? undefined,
});

export const workflowQuery = (id: string) =>
  queryOptions({
    queryKey: ['getWorkflow', id],
    queryFn: () => dataOf(api.GET('/workflows/{id}', { params: { path: { id } } })),
  });

export const versionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['listWorkflowVersions', id],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/workflows/{id}/versions', { params: { path: { id }, query: { cursor: pageParam, limit: 20 } } }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });

/** What triggers, blocks and actions there are, with their schemas. They change with the version of the server alone. */
export const definitionsQuery = queryOptions({
  queryKey: ['getWorkflowDefinitions'],
  queryFn: () => dataOf(api.GET('/workflows/definitions')),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The problems of a definition that is being written. */
export const problemsQuery = (definition: Schemas['ValidateWorkflow']) =>
  queryOptions({
    queryKey: ['validateWorkflow', definition],
    queryFn: async () => (await dataOf(api.POST('/workflows/validate', { body: definition }))).issues,
    placeholderData: (before) => before,
    gcTime: 0,
  });
