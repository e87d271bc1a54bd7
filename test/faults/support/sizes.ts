export const IS_LONG = process.env.TEST_TIER === 'long';

/** Full counts in the long tier, small counts otherwise. */
export const CONTACTS = IS_LONG ? 2_000 : 150;
/** Per channel with random faults. */
export const SENDS = IS_LONG ? 2_000 : 40;
/** Per conversation. */
export const MESSAGES = IS_LONG ? 400 : 40;
/** Traffic in the conversations of a CRM, spread over several accounts because each has a rate limit. */
export const CRM = IS_LONG ? { accounts: 10, threads: 500, events: 5_000 } : { accounts: 2, threads: 6, events: 36 };
export const CRM_OUTAGE = IS_LONG ? { threads: 20, events: 200 } : { threads: 4, events: 24 };
/** Servers to kill during a CRM's traffic, with the duration of their absence. */
export const CRM_SERVERS_AWAY: ['temporal' | 'postgres', number][] = [
  ['temporal', 60_000],
  ['postgres', 2_000],
];
/** Events sent to each of three webhook endpoints. */
export const WEBHOOKS = IS_LONG ? 10_000 : 300;
/** Turns of the AI in each part of a fault test, and the parts. A part can be run by itself: `-t 'part 3'`. */
export const TURNS = IS_LONG ? 25 : 12;
export const TURN_PARTS = Array.from({ length: IS_LONG ? 8 : 1 }, (_, nth) => nth + 1);
/** Kills during the work on insights, each at a point of it. */
export const INSIGHT_KILLS = IS_LONG ? 60 : 12;
/** Runs of a customer's workflow. */
export const RUNS = IS_LONG ? 200 : 12;
/** Runs that wait at once, so that they are done in batches. */
export const BACKLOG = IS_LONG ? 1_000 : 260;
/** Sessions that a job changes. */
export const SESSIONS_OF_JOB = IS_LONG ? 5_000 : 150;
/** Failed runs that a job retries. */
export const RUNS_OF_JOB = IS_LONG ? 600 : 60;
/** Pages of a crawled website. */
export const CRAWLED_PAGES = IS_LONG ? 5_000 : 400;
/** Mails to an inbox, one after the other. */
export const INBOX_MAILS = IS_LONG ? 60 : 20;
/** Files of contacts by WhatsApp, and surveys to them. */
export const FILES = IS_LONG ? 40 : 10;
/** Conversations in an export of another desk. */
export const IMPORTED_CONVERSATIONS = IS_LONG ? 20_000 : 1_000;
/** Lines of a CSV file of contacts. */
export const IMPORTED_CONTACTS = IS_LONG ? 100_000 : 15_000;
export const KILLS = IS_LONG ? 5 : 1;
export const TEMPORAL_DOWN_MS = IS_LONG ? 60_000 : 6_000;
export const IDEMPOTENT_REQUESTS = IS_LONG ? 100 : 10;

/**
 * Maximum sends of the SMTP sender that are in progress (10) or whose outcomes are being stored (a chunk of 5), if an e-mail
 * takes 60 ms: no more can be unknown after a kill.
 */
export const IN_FLIGHT = 15;
/** The same if e-mails take no time: three chunks of 25. */
const FAST_IN_FLIGHT = 75;
/** How long an e-mail takes, in ms, and how many can be unknown after a kill. */
export const MAIL_PACES: [delayMs: number, inFlight: number][] = IS_LONG
  ? [
      [60, IN_FLIGHT],
      [0, FAST_IN_FLIGHT],
    ]
  : [[60, IN_FLIGHT]];

/** Limit for a whole test; its waits have separate limits. */
export const TEST_LIMIT_MS = IS_LONG ? 1_200_000 : 480_000;
