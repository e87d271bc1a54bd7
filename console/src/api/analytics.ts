import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from './client';
import { PAGES } from './pages';

/** What the page of analytics shows, as it is in the address. Days are calendar days of the org's time zone. */
export type AnalyticsSearch = Partial<Record<'show' | 'from' | 'to' | 'by' | 'channel' | 'team' | 'reason', string>>;

/** A range of moments: from the first, before the second (ISO 8601). */
export interface Moments {
  from: string;
  to: string;
}
export interface ReportFilters extends Moments {
  group_by: string;
  channel?: string | undefined;
  team_id?: string | undefined;
}

/** A report of the API, without the names of its figures. */
export interface Report {
  items: ReportItem[];
  totals: Figures;
}
export type Figures = Record<string, number | null>;
export interface ReportItem extends Record<string, string | number | null> {
  key: string | null;
  name: string | null;
}

/** Reports can be CSV too, by the Accept header. */
function jsonOf<Answer extends object>(answer: Answer | string): Answer {
  if (typeof answer === 'string') throw new Error('The server answered something else than JSON');
  return answer;
}

const READERS = {
  conversations: (query: never) => dataOf(api.GET('/analytics/conversations', { params: { query } })),
  csat: (query: never) => dataOf(api.GET('/analytics/csat', { params: { query } })),
  sla: (query: never) => dataOf(api.GET('/analytics/sla', { params: { query } })),
  deliveries: (query: never) => dataOf(api.GET('/analytics/deliveries', { params: { query } })),
  ai: (query: never) => dataOf(api.GET('/analytics/ai', { params: { query } })),
};
export type ReportName = keyof typeof READERS;

const FRESH_MS = 60_000;

export const reportQuery = (name: ReportName, filters: ReportFilters) =>
  queryOptions({
    queryKey: ['report', name, filters],
    queryFn: async () => {
      return jsonOf(await READERS[name](filters as never)) as Report;
    },
    staleTime: FRESH_MS,
  });

type HandoffFilters = Moments & Pick<ReportFilters, 'channel' | 'team_id'>;

const ofHandoffs = ({ from, to, channel, team_id }: HandoffFilters) =>
  ({ start_date: from, end_date: to, channel, team_id }) as {
    start_date: string;
    end_date: string;
    channel?: Schemas['HandoffEventPage']['items'][number]['channel'];
    team_id?: string;
  };

export const handoffsQuery = (filters: HandoffFilters) =>
  queryOptions({
    queryKey: ['getHandoffAnalytics', filters],
    queryFn: () => dataOf(api.GET('/handoff-analytics', { params: { query: ofHandoffs(filters) } })),
    staleTime: FRESH_MS,
  });

/** The handoffs that are counted, the newest first. */
export const handoffEventsQuery = (filters: HandoffFilters, reason: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['listHandoffEvents', filters, reason],
    queryFn: ({ pageParam }) => {
      const query = {
        ...ofHandoffs(filters),
        ...(reason === undefined ? {} : { reason: reason as Schemas['HandoffReason'] }),
        order: 'newest' as const,
        cursor: pageParam,
      };
      return dataOf(api.GET('/handoff-analytics/events', { params: { query } }));
    },
    ...PAGES,
  });

/** The scores that are counted, the newest first. */
export const scoresQuery = ({ from, to, channel, team_id }: HandoffFilters) =>
  infiniteQueryOptions({
    queryKey: ['listCsatScores', from, to, channel, team_id],
    queryFn: async ({ pageParam }) => {
      const query = { from, to, channel: channel as never, team_id, order: 'newest' as const, cursor: pageParam };
      return jsonOf(await dataOf(api.GET('/csat/scores', { params: { query } })));
    },
    ...PAGES,
  });
