import { QueryCache, type QueryClient } from '@tanstack/react-query';
import { ApiError } from './client';

const WAIT_MS = 5_000;
/** What a proxy or the API answers while a server behind it is away. */
const AWAY_STATUSES = [502, 503, 504];

/** Whether a server is away: what was asked is answered once it is back. */
const isAway = (error: Error): boolean => !(error instanceof ApiError) || AWAY_STATUSES.includes(error.status);

/**
 * A cache that reads again by itself what could not be read while a server was away. The stream of events tells nothing of
 * an outage behind the API, such as that of the database.
 */
export function createRecoveringCache(client: () => QueryClient): QueryCache {
  let isWaiting = false;
  const readAgain = () => {
    isWaiting = false;
    void client().invalidateQueries({ predicate: ({ state }) => state.error !== null && isAway(state.error) });
  };
  return new QueryCache({
    onError(error) {
      if (isWaiting || !isAway(error)) return;
      isWaiting = true;
      setTimeout(readAgain, WAIT_MS * (1 + Math.random()));
    },
  });
}
