const AFTER_ERROR_MS = 60_000;

/** Has a query read again so often, and seldom once it could not be read: what fails is mostly not there or not allowed. */
export const every =
  (intervalMs: number) =>
  ({ state }: { state: { error: Error | null } }): number =>
    state.error === null ? intervalMs : Math.max(intervalMs, AFTER_ERROR_MS);
