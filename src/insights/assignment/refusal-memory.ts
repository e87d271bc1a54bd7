import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ProviderError } from '../../errors.ts';

const MAX_CONNECTIONS = 10_000;
const MS_TO_REMEMBER = 60 * 60_000;

export interface RefusalMemory {
  /** Does work with a provider, or throws its last refusal of a connection with these settings again, for an hour. */
  remember<Result>(connection: object, work: () => Promise<Result>): Promise<Result>;
}

/**
 * Creates this process's memory of settings refused by providers. Many sessions wait for the same settings to be
 * corrected, and one call an hour is enough to see whether they still have to.
 */
export function createRefusalMemory(): RefusalMemory {
  const refusals = new LRUCache<string, ProviderError>({ max: MAX_CONNECTIONS, ttl: MS_TO_REMEMBER });
  return {
    async remember(connection, work) {
      const key = createHash('sha256').update(JSON.stringify(connection)).digest('base64');
      const refusal = refusals.get(key);
      if (refusal !== undefined) throw refusal;
      return work().catch((error: unknown) => {
        if (error instanceof ProviderError && !error.transient) refusals.set(key, error);
        throw error;
      });
    },
  };
}
