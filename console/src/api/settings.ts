import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from './client';
import { PAGES } from './pages';
import { patiently } from './refetching/patience';

const PAGE = 100;

/** Reads a list of the API whole. */
async function allOf<Row>(
  readPage: (cursor: string | undefined) => Promise<{ items: Row[]; next: string | null }>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await readPage(cursor);
    rows.push(...items);
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  return rows;
}

export const orgQuery = queryOptions({ queryKey: ['getOrganization'], queryFn: () => dataOf(api.GET('/org')) });

export const orgSettingsQuery = queryOptions({
  queryKey: ['getOrganizationSettings'],
  queryFn: () => dataOf(api.GET('/org/settings')),
});

export const keysQuery = queryOptions({
  queryKey: ['listApiKeys'],
  queryFn: async () => (await dataOf(api.GET('/org/api-keys'))).items,
});

export const integrationsQuery = queryOptions({
  queryKey: ['listIntegrations'],
  queryFn: async () => (await dataOf(api.GET('/integrations'))).items,
});

export const officeHoursQuery = queryOptions({
  queryKey: ['listOfficeHours'],
  queryFn: () => allOf((cursor) => dataOf(api.GET('/office-hours', { params: { query: { cursor, limit: PAGE } } }))),
});

export const officeStatusQuery = (id: string) =>
  queryOptions({
    queryKey: ['getOfficeHoursStatus', id],
    queryFn: () => dataOf(api.GET('/office-hours/{id}/status', { params: { path: { id } } })),
    refetchInterval: 60_000,
  });

export const slaQuery = queryOptions({
  queryKey: ['listSlaPolicies'],
  queryFn: () => allOf((cursor) => dataOf(api.GET('/sla/policies', { params: { query: { cursor, limit: PAGE } } }))),
});

export const tagCategoriesQuery = queryOptions({
  queryKey: ['listTagCategories'],
  queryFn: () => dataOf(api.GET('/tags/categories')),
});

export const autoTaggingQuery = queryOptions({
  queryKey: ['getAutoTagging'],
  queryFn: () => dataOf(api.GET('/tags/auto-tagging')),
});

export const savedRepliesQuery = (q: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['listSavedReplies', 'settings', q],
    queryFn: ({ pageParam }) =>
      dataOf(api.GET('/saved-replies', { params: { query: { q, cursor: pageParam, limit: 50 } } })),
    ...PAGES,
  });

export const readMailboxes = () =>
  allOf((cursor) => dataOf(api.GET('/email/inboxes', { params: { query: { cursor, limit: PAGE } } })));

export const mailboxesQuery = queryOptions({ queryKey: ['listEmailInboxes'], queryFn: readMailboxes });

export const mailDomainsQuery = queryOptions({
  queryKey: ['listCustomDomains', 'all'],
  queryFn: () => allOf((cursor) => dataOf(api.GET('/email/domains', { params: { query: { cursor, limit: PAGE } } }))),
});

export const webhooksQuery = queryOptions({
  queryKey: ['listWebhookEndpoints'],
  queryFn: () => allOf((cursor) => dataOf(api.GET('/webhooks', { params: { query: { cursor, limit: PAGE } } }))),
});

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['getWebhookEndpoint', id],
    queryFn: () => dataOf(api.GET('/webhooks/{id}', { params: { path: { id } } })),
  });

export type WebhookStatus = Schemas['WebhookDelivery']['status'];
const IN_MOTION = new Set<WebhookStatus>(['pending', 'retrying']);

/**
 * Returns when deliveries are worth another look: soon while one is new or about to be tried, and seldom while all wait
 * for a later try, which may be hours away. Never once they could not be read: that is said, with "Try again".
 */
function untilNews(error: Error | null, deliveries: Schemas['WebhookDelivery'][]): number | false {
  const moving = deliveries.filter(({ status }) => IN_MOTION.has(status));
  if (error !== null || moving.length === 0) return false;
  return Math.min(...moving.map(({ next_attempt_at, updated_at }) => patiently(next_attempt_at ?? updated_at)));
}

/** The deliveries of an endpoint, read again while some of them are under way. */
export const webhookDeliveriesQuery = (
  id: string,
  filters: { status?: WebhookStatus | undefined; event_type?: Schemas['WebhookEventType'] | undefined },
) =>
  infiniteQueryOptions({
    queryKey: ['listWebhookDeliveries', id, filters],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/webhooks/{id}/deliveries', {
          params: { path: { id }, query: { ...filters, order: 'newest', cursor: pageParam, limit: 50 } },
        }),
      ),
    refetchInterval: ({ state }) =>
      untilNews(
        state.error,
        (state.data?.pages ?? []).flatMap(({ items }) => items),
      ),
    ...PAGES,
  });

export const webhookDeliveryQuery = (id: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['getWebhookDelivery', id, deliveryId],
    queryFn: () => dataOf(api.GET('/webhooks/{id}/deliveries/{deliveryId}', { params: { path: { id, deliveryId } } })),
    refetchInterval: ({ state }) => untilNews(state.error, state.data === undefined ? [] : [state.data]),
  });

/** A recovery of an endpoint's deliveries, as this browser has begun it. */
export interface Recovery {
  since: string;
  /** When it was begun, by the server's clock. */
  until: string;
  /** Everything open in its period, also deliveries under way. Those are not sent again. */
  total: number;
}

/** Counts the deliveries of a period that are not delivered. Without an end, until now. */
export const countOpen = (id: string, period: { since: string; until?: string }) =>
  dataOf(
    api.POST('/webhooks/{id}/recover', {
      params: { path: { id } },
      body: { ...period, states: ['held', 'failed', 'retrying', 'pending'], dry_run: true },
    }),
  );

/** For so long what is recovered is tried. Before, nothing of it fails for good again. */
const TRIED_MS = 86_400_000;

/**
 * How far a recovery is. The rest is still held or failed, as long as nothing fails for good again. Later deliveries do
 * not count.
 */
export const recoveryQuery = (id: string, { since, until, total }: Recovery) =>
  queryOptions({
    queryKey: ['recoverWebhooks', id, until],
    queryFn: async () => {
      const [{ by_state }, { enabled }] = await Promise.all([
        countOpen(id, { since, until }),
        dataOf(api.GET('/webhooks/{id}', { params: { path: { id } } })),
      ]);
      const { held, failed, retrying, pending } = by_state;
      const wasTried = Date.now() - Date.parse(until) > TRIED_MS;
      const waiting = Math.min(held + pending + (wasTried ? 0 : failed), total);
      const counts = { waiting, retrying: Math.min(retrying, total - waiting), failed: wasTried ? failed : 0 };
      return { ...counts, isHeld: !enabled };
    },
    refetchInterval: ({ state: { data, error } }) => {
      const isOver = data !== undefined && (data.isHeld || data.waiting + data.retrying === 0);
      return error !== null || isOver ? false : patiently(until);
    },
  });

export const widgetQuery = queryOptions({
  queryKey: ['getWidgetSettings'],
  queryFn: () => dataOf(api.GET('/widget/settings')),
});

export const actionsQuery = queryOptions({
  queryKey: ['listActions'],
  queryFn: () => dataOf(api.GET('/actions')),
});

export const mcpServersQuery = queryOptions({
  queryKey: ['listMcpServers'],
  queryFn: async () => (await dataOf(api.GET('/actions/mcp'))).items,
});

export const ownSessionsQuery = queryOptions({
  queryKey: ['listMySessions'],
  queryFn: async () => (await dataOf(api.GET('/me/sessions'))).items,
});

const SHOWN_DAYS = 30;

/** The scores of the last days, the newest first. */
export const scoresQuery = infiniteQueryOptions({
  queryKey: ['listCsatScores', SHOWN_DAYS],
  queryFn: async ({ pageParam }): Promise<{ items: Schemas['CsatScore'][]; next: string | null }> => {
    const from = new Date(Date.now() - SHOWN_DAYS * 86_400_000).toISOString();
    const page = await dataOf(
      api.GET('/csat/scores', { params: { query: { from, order: 'newest', cursor: pageParam, limit: 50 } } }),
    );
    if (typeof page === 'string') throw new Error('The scores came as CSV');
    return page;
  },
  ...PAGES,
});
