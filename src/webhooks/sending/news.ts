/** Tells senders of this process about new deliveries. */
export interface WebhookNews {
  /** Calls `onNews` when an endpoint may have new deliveries, until the returned function is called. */
  subscribe(endpointId: string, onNews: () => void): () => void;
  /** Tells of the endpoints named in the hints, or of all if there are none. */
  tell(hints: string): void;
}

export function createWebhookNews(): WebhookNews {
  const subscribers = new Map<string, Set<() => void>>();
  return {
    subscribe(endpointId, onNews) {
      const of = subscribers.get(endpointId) ?? new Set();
      subscribers.set(endpointId, of.add(onNews));
      return () => {
        of.delete(onNews);
        if (of.size === 0) subscribers.delete(endpointId);
      };
    },
    tell(hints) {
      const ids = hints === '' ? [...subscribers.keys()] : hints.split(' ');
      for (const id of ids) for (const onNews of [...(subscribers.get(id) ?? [])]) onNews();
    },
  };
}
