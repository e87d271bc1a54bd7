import type { StoredDeliveries } from '../deliveries.queries.ts';
import type { SentDelivery } from './posting.ts';

/** New deliveries for an endpoint. They are committed. */
export interface NewDeliveries extends Pick<StoredDeliveries, 'endpoint_id' | 'version'> {
  list: () => SentDelivery[];
}

/** A sender that waits for new deliveries. */
export interface WaitingSender {
  /** There may be new deliveries in the database. */
  onChange(): void;
  /** Accepts new deliveries. Returns false if it cannot: it has to be notified of them then. */
  accept(deliveries: NewDeliveries): boolean;
}

/** The senders of this process, to be told of new deliveries. */
export interface SenderRegistry {
  /** Tells the sender when its endpoint may have new deliveries, until the returned function is called. */
  subscribe(endpointId: string, sender: WaitingSender): () => void;
  /** Notifies the senders of the endpoints named in the hints, or all if there are none. */
  notify(hints: string): void;
  /** Hands deliveries over to a sender, without a way through the database. Returns false if none accepts them. */
  handOver(deliveries: NewDeliveries): boolean;
}

export function createSenderRegistry(): SenderRegistry {
  const senders = new Map<string, Set<WaitingSender>>();
  const sendersOf = (endpointId: string) => [...(senders.get(endpointId) ?? [])];
  return {
    subscribe(endpointId, sender) {
      const own = senders.get(endpointId) ?? new Set();
      senders.set(endpointId, own.add(sender));
      return () => {
        own.delete(sender);
        if (own.size === 0) senders.delete(endpointId);
      };
    },
    notify(hints) {
      const endpointIds = hints === '' ? [...senders.keys()] : hints.split(' ');
      for (const sender of endpointIds.flatMap(sendersOf)) sender.onChange();
    },
    handOver: (deliveries) => sendersOf(deliveries.endpoint_id).some((sender) => sender.accept(deliveries)),
  };
}
