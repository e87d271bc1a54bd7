const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_BUCKETS = 800;
const MIN_BUCKETS = 7;

/**
 * Returns the beginnings of all hours or days from one of them on until a moment. Days are as long as the clocks of the
 * browser make them.
 */
export function bucketsBetween(first: string, until: string, bucket: 'hour' | 'day'): string[] {
  const end = Date.parse(until);
  const times: string[] = [];
  for (let at = new Date(first); at.getTime() < end && times.length < MAX_BUCKETS; at = after(at, bucket))
    times.push(at.toISOString());
  return times;
}

const after = (at: Date, bucket: 'hour' | 'day') => moved(at, bucket, 1);

function moved(at: Date, bucket: 'hour' | 'day', by: 1 | -1): Date {
  if (bucket === 'hour') return new Date(at.getTime() + by * HOUR_MS);
  const other = new Date(at);
  other.setDate(other.getDate() + by);
  return other;
}

/** Returns the last beginning of an hour or day that is not after a moment, counted back from another beginning. */
export function earlier(first: string, wanted: Date, bucket: 'hour' | 'day'): string {
  let at = new Date(first);
  while (at > wanted) at = moved(at, bucket, -1);
  return at.toISOString();
}

/** Returns how long a chart is at least: a single bar says little. */
export const leastMs = (bucket: 'hour' | 'day'): number => MIN_BUCKETS * (bucket === 'hour' ? HOUR_MS : DAY_MS);
