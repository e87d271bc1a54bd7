const HOUR_MS = 3_600_000;
const MAX_BUCKETS = 800;

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

function after(at: Date, bucket: 'hour' | 'day'): Date {
  if (bucket === 'hour') return new Date(at.getTime() + HOUR_MS);
  const next = new Date(at);
  next.setDate(next.getDate() + 1);
  return next;
}
