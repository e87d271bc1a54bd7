const SOON_MS = 2_000;
const LATE_MS = 30_000;

/**
 * Returns the wait before the next read of something begun at a time: the longer it takes, the longer. Something still to
 * begin, such as the next try of a delivery, is read again soon after.
 */
export function patiently(at: string, now = Date.now()): number {
  const ageMs = now - Date.parse(at);
  return Math.min(Math.max(ageMs < 0 ? -ageMs : ageMs / 5, SOON_MS), LATE_MS);
}
