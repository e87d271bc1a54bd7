export const IS_LONG = process.env.TEST_TIER === 'long';

/** The full counts in the long tier, and what ends quickly in the other. */
export const CONTACTS = IS_LONG ? 2_000 : 150;
/** On each channel that has random faults. */
export const SENDS = IS_LONG ? 2_000 : 40;
/** In each of some conversations. */
export const MESSAGES = IS_LONG ? 400 : 40;
/** What happens in the conversations of a CRM, which is spread over accounts, as each is asked only so often a second. */
export const CRM = IS_LONG ? { accounts: 10, threads: 500, events: 5_000 } : { accounts: 2, threads: 6, events: 36 };
export const CRM_OUTAGE = IS_LONG ? { threads: 20, events: 200 } : { threads: 4, events: 24 };
/** Which servers go away under a CRM's traffic, and for how long. */
export const CRM_SERVERS_AWAY: ['temporal' | 'postgres', number][] = [
  ['temporal', 60_000],
  ['postgres', 2_000],
];
/** Of a workflow of a customer. */
export const RUNS = IS_LONG ? 200 : 12;
/** Of a website that is crawled. */
export const CRAWLED_PAGES = IS_LONG ? 5_000 : 400;
export const KILLS = IS_LONG ? 5 : 1;
export const TEMPORAL_DOWN_MS = IS_LONG ? 60_000 : 6_000;
export const IDEMPOTENT_REQUESTS = IS_LONG ? 100 : 10;

/** What the SMTP sender has under way at most: no more can be unknown after a kill. */
export const IN_FLIGHT = 10;

/** For a whole test; what it waits for has limits of its own. */
export const TEST_LIMIT_MS = IS_LONG ? 1_200_000 : 240_000;
