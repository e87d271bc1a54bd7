import type { StoredDeliveries } from '../deliveries/shared.queries.ts';
import type { SentDelivery } from './posting.ts';

/** New deliveries for an endpoint. They are committed. */
export interface NewDeliveries extends Pick<StoredDeliveries, 'endpoint_id' | 'version'> {
  list: () => SentDelivery[];
}

/** A sender that waits for new deliveries. */
export interface WaitingSender {
  /** There may be new deliveries in the database. Returns whether it will read them. */
  onChange(): boolean;
  /** The endpoint, or what is stored for it, has changed: what was read before is void. */
  onEndpointChange(): void;
  /** Accepts new deliveries. Returns false if it cannot: the caller then has to call onChange. */
  accept(deliveries: NewDeliveries): boolean;
}

/** The senders of this process that wait for new deliveries. */
export interface SenderRegistry {
  /** Tells the sender when its endpoint may have new deliveries, until the returned function is called. */
  subscribe(endpointId: string, sender: WaitingSender): () => void;
  /** Notifies the senders of the endpoints named in the hints. If there are none, anything may have changed for all. */
  notify(hints: string): void;
  /**
   * Hands deliveries over to the sender of their endpoint. It reads those that it cannot accept from the database. Returns
   * false if no sender of this process does either.
   */
  handOver(deliveries: NewDeliveries): boolean;
}

const CHANGE_MARK = '!';

/** Returns the hint that an endpoint, or what is stored for it, has changed. Its id alone tells of new deliveries. */
export const endpointChangeHint = (endpointId: string): string => CHANGE_MARK + endpointId;

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
      for (const hint of hints === '' ? [...senders.keys()].map(endpointChangeHint) : hints.split(' ')) {
        const isChange = hint.startsWith(CHANGE_MARK);
        const told = sendersOf(isChange ? hint.slice(CHANGE_MARK.length) : hint);
        for (const sender of told) sender[isChange ? 'onEndpointChange' : 'onChange']();
      }
    },
    handOver: (deliveries) =>
      sendersOf(deliveries.endpoint_id).some((sender) => sender.accept(deliveries) || sender.onChange()),
  };
}
