import { QueryCache, type QueryClient } from '@tanstack/react-query';
import { ApiError, AWAY_STATUSES } from '../client';
import { UnreachableError } from '../http/requests';

const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 60_000;

/** Whether a server is away: what was asked is answered once it is back. */
const isAway = (error: Error | null): boolean =>
  error instanceof UnreachableError || (error instanceof ApiError && AWAY_STATUSES.includes(error.status));

/**
 * A cache that repeats by itself the reads that failed during an outage, less often the longer it lasts. The stream of
 * events tells nothing of an outage behind the API, such as of the database.
 */
export function createRecoveringCache(client: () => QueryClient): QueryCache {
  let waitMs = FIRST_WAIT_MS;
  let isWaiting = false;
  const readAgain = async () => {
    isWaiting = false;
    await client().invalidateQueries({ predicate: ({ state }) => isAway(state.error) });
    if (!isWaiting) waitMs = FIRST_WAIT_MS; // nothing has failed again
  };
  return new QueryCache({
    onError(error) {
      if (isWaiting || !isAway(error)) return;
      isWaiting = true;
      setTimeout(() => void readAgain(), waitMs * (0.5 + Math.random() / 2));
      waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
    },
  });
}
