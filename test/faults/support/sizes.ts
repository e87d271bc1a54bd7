const isLong = process.env.TEST_TIER === 'long';

/** The full counts in the long tier, and what ends quickly in the other. */
export const CONTACTS = isLong ? 2_000 : 300;
/** On each channel that has random faults. */
export const SENDS = isLong ? 2_000 : 60;
/** In each of some conversations. */
export const MESSAGES = isLong ? 400 : 80;
export const KILLS = isLong ? 5 : 2;
export const TEMPORAL_DOWN_MS = isLong ? 60_000 : 10_000;
export const IDEMPOTENT_REQUESTS = isLong ? 100 : 20;

/** What the SMTP sender has under way at most: no more can be unknown after a kill. */
export const IN_FLIGHT = 10;

/** For a whole test; what it waits for has limits of its own. */
export const TEST_LIMIT_MS = isLong ? 1_200_000 : 240_000;
