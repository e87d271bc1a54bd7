import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from './client';
import { PAGES } from './pages';
import { every } from './refetching/polling';

export type Turn = Schemas['Turn'];
export type TurnFilters = {
  state?: Turn['state'] | undefined;
  reason?: string | undefined;
  cited_item_id?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};
export type EvalRun = Schemas['EvalRun'];
export type AiSettings = Schemas['AiSettings'];

const UNDER_WAY_MS = 2_000;
const AGAIN_MS = 15_000;
const NEWEST = { order: 'newest' } as const;

export const turnsQuery = (filters: TurnFilters) =>
  infiniteQueryOptions({
    queryKey: ['listAutopilotTurns', filters],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/autopilot/turns', { params: { query: { ...filters, ...NEWEST, cursor: pageParam, limit: 50 } } }),
      ),
    ...PAGES,
  });

/** A turn with its steps. */
export const turnQuery = (id: string) =>
  queryOptions({
    queryKey: ['getAutopilotTurn', id],
    queryFn: () => dataOf(api.GET('/autopilot/turns/{id}', { params: { path: { id } } })),
    staleTime: 60_000,
  });

export const channelsQuery = queryOptions({
  queryKey: ['listAutopilot'],
  queryFn: () => dataOf(api.GET('/autopilot')),
});

export const settingsQuery = queryOptions({
  queryKey: ['getAutopilotSettings'],
  queryFn: () => dataOf(api.GET('/autopilot/settings')),
  refetchOnWindowFocus: false,
});

/** Returns whether a calibration was asked for and has not ended. */
export const isAwaited = (calibration: Schemas['AutopilotCalibration'] | undefined): boolean => {
  if (calibration?.requested_at == null) return false;
  return calibration.measured_at === null || calibration.measured_at < calibration.requested_at;
};

/** The calibration, read again every few seconds while one is awaited. */
export const calibrationQuery = queryOptions({
  queryKey: ['getAutopilotCalibration'],
  queryFn: () => dataOf(api.GET('/autopilot/calibration')),
  refetchInterval: ({ state }) => (isAwaited(state.data) ? every(UNDER_WAY_MS)({ state }) : false),
});

export type CallState = Schemas['AutopilotCall']['state'];

export const callsQuery = (filters: { state?: CallState | undefined }) =>
  infiniteQueryOptions({
    queryKey: ['listAutopilotCalls', filters],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/autopilot/calls', { params: { query: { ...filters, ...NEWEST, cursor: pageParam, limit: 50 } } }),
      ),
    refetchInterval: every(AGAIN_MS),
    ...PAGES,
  });

export const confirmationsQuery = queryOptions({
  queryKey: ['listConfirmations', 'all'],
  queryFn: () => dataOf(api.GET('/autopilot/confirmations', { params: { query: { limit: 100 } } })),
  refetchInterval: every(AGAIN_MS),
});

export const evalCasesQuery = infiniteQueryOptions({
  queryKey: ['listEvalCases'],
  queryFn: ({ pageParam }) =>
    dataOf(api.GET('/autopilot/evals', { params: { query: { cursor: pageParam, limit: 50 } } })),
  ...PAGES,
});

export const evalRunsQuery = infiniteQueryOptions({
  queryKey: ['listEvalRuns'],
  queryFn: ({ pageParam }) =>
    dataOf(api.GET('/autopilot/evals/runs', { params: { query: { ...NEWEST, cursor: pageParam, limit: 20 } } })),
  refetchInterval: ({ state }) =>
    state.data?.pages.some(({ items }) => items.some((run) => run.state === 'running')) === true
      ? every(UNDER_WAY_MS)({ state })
      : false,
  ...PAGES,
});

/** A run with the results so far, read again every few seconds until it ends or cannot be read. */
export const evalRunQuery = (id: string) =>
  queryOptions({
    queryKey: ['getEvalRun', id],
    queryFn: () => dataOf(api.GET('/autopilot/evals/runs/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data?.state === 'running' && state.error === null ? UNDER_WAY_MS : false),
  });

export const evalResultQuery = (id: string, caseId: string) =>
  queryOptions({
    queryKey: ['getEvalResult', id, caseId],
    queryFn: () => dataOf(api.GET('/autopilot/evals/runs/{id}/cases/{caseId}', { params: { path: { id, caseId } } })),
  });

export type UsageGroup = 'day' | 'model' | 'purpose';

/** What models were asked in the last days, today with them. */
export const usageQuery = (group_by: UsageGroup, days: number) =>
  queryOptions({
    queryKey: ['getAutopilotUsage', group_by, days],
    queryFn: () => {
      const from = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10);
      return dataOf(api.GET('/autopilot/usage', { params: { query: { from, group_by } } }));
    },
  });
