import type { StoredDeliveries } from '../deliveries.queries.ts';
import type { SentDelivery } from './posting.ts';

/** New deliveries for an endpoint. They are committed. */
export interface NewDeliveries extends Pick<StoredDeliveries, 'endpoint_id' | 'version'> {
  list: () => SentDelivery[];
}

/** A sender that waits for new deliveries. */
export interface NewsSubscriber {
  /** There may be new deliveries in the database. */
  onNews(): void;
  /** Takes new deliveries. Returns false if it cannot: it has to be told of them then. */
  take(deliveries: NewDeliveries): boolean;
}

/** Tells senders of this process about new deliveries. */
export interface WebhookNews {
  /** Tells the subscriber when an endpoint may have new deliveries, until the returned function is called. */
  subscribe(endpointId: string, subscriber: NewsSubscriber): () => void;
  /** Tells of the endpoints named in the hints, or of all if there are none. */
  tell(hints: string): void;
  /** Hands deliveries over to a sender, without a way through the database. Returns false if none takes them. */
  handOver(deliveries: NewDeliveries): boolean;
}

export function createWebhookNews(): WebhookNews {
  const subscribers = new Map<string, Set<NewsSubscriber>>();
  const of = (id: string) => [...(subscribers.get(id) ?? [])];
  return {
    subscribe(endpointId, subscriber) {
      const own = subscribers.get(endpointId) ?? new Set();
      subscribers.set(endpointId, own.add(subscriber));
      return () => {
        own.delete(subscriber);
        if (own.size === 0) subscribers.delete(endpointId);
      };
    },
    tell(hints) {
      const ids = hints === '' ? [...subscribers.keys()] : hints.split(' ');
      for (const id of ids) for (const subscriber of of(id)) subscriber.onNews();
    },
    handOver: (deliveries) => of(deliveries.endpoint_id).some((subscriber) => subscriber.take(deliveries)),
  };
}
