import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../../api/client';
import { type WebhookStatus, webhookDeliveriesQuery } from '../../../api/settings';
import { FilterBar, type FilterField } from '../../../ui/lists/filter-bar';
import { ShowMore } from '../../../ui/lists/show-more';
import { Button, Chip, Empty, failureOf, Skeleton } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { Rows } from '../frame/rows';
import { DeliveryDialog } from './delivery-dialog';
import { DELIVERY_STATES, EVENT_TYPES } from './words';

const ROUTE = '/settings/webhooks/$webhookId';
const FIELDS: FilterField<'status' | 'event_type'>[] = [
  {
    name: 'status',
    label: 'State',
    options: Object.entries(DELIVERY_STATES).map(([status, { name }]) => [status, name]),
  },
  { name: 'event_type', label: 'Event', options: EVENT_TYPES.map((type) => [type, type]) },
];

interface DeliveriesProps {
  endpoint: Schemas['WebhookEndpoint'];
  mayWrite: boolean;
}

/** The requests to an endpoint, and its answers. */
export const Deliveries = ({ endpoint: { id, enabled }, mayWrite }: DeliveriesProps) => {
  const { status, event_type } = useSearch({ from: ROUTE });
  const navigate = useNavigate();
  const [shown, show] = useState<string>();
  const filters = {
    status: status as WebhookStatus | undefined,
    event_type: event_type as Schemas['WebhookEventType'] | undefined,
  };
  const list = useInfiniteQuery(webhookDeliveriesQuery(id, filters));
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <div className="min-w-0">
      <FilterBar
        search={{ status, event_type }}
        fields={FIELDS}
        onChange={(search) => void navigate({ to: ROUTE, params: { webhookId: id }, search })}
      />
      {failureOf(list)}
      {list.isPending && <Skeleton rows={4} />}
      {list.isSuccess && items.length === 0 && (
        <Empty title="Nothing was sent">Deliveries of the last 30 days appear here.</Empty>
      )}
      {items.length > 0 && (
        <div className="pt-3">
          <Rows
            label="Deliveries"
            items={items}
            keyOf={(delivery) => delivery.id}
            actions={(delivery) => (
              <Button
                look="quiet"
                aria-label={`Show ${delivery.event_type} of ${delivery.occurred_at}`}
                onClick={() => show(delivery.id)}
              >
                Show
              </Button>
            )}
          >
            {(delivery) => <DeliveryRow delivery={delivery} />}
          </Rows>
        </div>
      )}
      <ShowMore query={list} className="mt-3">
        Show earlier ones
      </ShowMore>
      {shown !== undefined && (
        <DeliveryDialog
          endpointId={id}
          deliveryId={shown}
          mayResend={mayWrite}
          isEnabled={enabled}
          onClose={() => show(undefined)}
        />
      )}
    </div>
  );
};

const DeliveryRow = ({ delivery }: { delivery: Schemas['WebhookDelivery'] }) => {
  const { event_type, status, attempts, occurred_at, next_attempt_at } = delivery;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
      <span className="font-medium">{event_type}</span>
      <Chip tone={DELIVERY_STATES[status].tone}>{DELIVERY_STATES[status].name}</Chip>
      <span className="text-xs text-quiet">
        <Ago at={occurred_at} />, {attempts === 1 ? '1 try' : `${attempts} tries`}
        {next_attempt_at !== null && (
          <>
            , next <Ago at={next_attempt_at} />
          </>
        )}
      </span>
    </p>
  );
};
