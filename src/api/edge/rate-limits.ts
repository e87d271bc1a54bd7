import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type pg from 'pg';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { keysOf, valueAt } from '../../collections/checked-access.ts';
import { batchByKey } from '../../concurrency/batch-by-key.ts';
import type { Config } from '../../config.ts';
import { TooManyRequests } from '../../errors.ts';
import { networkOf } from '../../networks.ts';
import { measured } from '../../processes/measurements.ts';
import { bodyOfError, errorAnswer } from './errors.ts';

const WINDOW_SECONDS = 60;
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
/** Of one operator a minute: the pages ask for all parts every ten seconds. */
const OPERATOR_REQUESTS = 300;
/** Answers of one network to one article of a help center an hour: an office may have one address. */
const ANSWERS_AN_HOUR = 20;
/** Answers of one network to one article that count a day: who keeps no cookie must not decide alone what helps. */
const COUNTED_ANSWERS_A_DAY = 2;
const COUNTING = { maxConcurrent: 1, maxBatchSize: Number.POSITIVE_INFINITY, maxWaiting: Number.POSITIVE_INFINITY };
/** The limits of public routes by address. */
const LIMIT_OF_PUBLIC = { address: 'address', help: 'help', files: 'streaming' } as const;
/** The answers to a wrong key, a wrong token in a path, or a wrong signature. */
const REFUSED = [401, 403, 404];

export type RateLimitName =
  | 'standard'
  | 'streaming'
  | 'member'
  | 'assistant'
  | 'partner'
  | 'operator'
  | 'login-links'
  | 'sign-in'
  | 'address'
  | 'help'
  | 'feedback'
  | 'counted-feedback'
  | 'refused';

export interface RateLimits {
  limitOf(name: RateLimitName): number;
  /** Counts one request of `id`. `isAllowed` is false above the limit. */
  consume(name: RateLimitName, id: string): Promise<{ isAllowed: boolean; remaining: number; resetMs: number }>;
}

/** Counts requests per minute, sign-ins by mail and answers to articles per hour, and answers that count per day, either in Postgres across all api processes or in this process's memory. */
export function createRateLimits(config: Config, pool: pg.Pool): RateLimits {
  const limits: Record<RateLimitName, number> = {
    standard: config.RATE_LIMIT_STANDARD,
    streaming: config.RATE_LIMIT_STREAMING,
    member: config.RATE_LIMIT_MEMBER,
    assistant: config.RATE_LIMIT_ASSISTANT,
    partner: config.RATE_LIMIT_PARTNER,
    operator: OPERATOR_REQUESTS,
    'login-links': config.RATE_LIMIT_LOGIN_LINKS,
    'sign-in': config.RATE_LIMIT_SIGN_IN,
    address: config.RATE_LIMIT_ADDRESS,
    help: config.RATE_LIMIT_HELP,
    feedback: ANSWERS_AN_HOUR,
    'counted-feedback': COUNTED_ANSWERS_A_DAY,
    refused: config.RATE_LIMIT_REFUSED,
  };
  const create = (name: RateLimitName) => {
    const options = { keyPrefix: name, points: limits[name], duration: secondsOf(name) };
    if (config.RATE_LIMIT_STORE === 'memory') return countTogether(new RateLimiterMemory(options));
    return countTogether(
      new RateLimiterPostgres({
        ...options,
        storeClient: pool,
        storeType: 'pool',
        tableName: 'rate_limits',
        tableCreated: true,
        inMemoryBlockOnConsumed: limits[name] + 1,
      }),
    );
  };
  const counters = new Map(keysOf(limits).map((name) => [name, create(name)]));

  return {
    limitOf: (name) => limits[name],
    async consume(name, id) {
      const { place, resetMs } = await valueAt(counters, name)(id, null);
      return { isAllowed: place <= limits[name], remaining: Math.max(limits[name] - place, 0), resetMs };
    },
  };
}

/** What is not counted by the minute. */
const SECONDS: { readonly [name in RateLimitName]?: number } = {
  'sign-in': HOUR_SECONDS,
  feedback: HOUR_SECONDS,
  'counted-feedback': DAY_SECONDS,
};

const secondsOf = (name: RateLimitName): number => SECONDS[name] ?? WINDOW_SECONDS;

/** The number of this request within the window, from 1. */
interface RequestCount {
  place: number;
  resetMs: number;
}

/**
 * Counts concurrent requests of an id together: those arriving during one count are all added by the next. Separately
 * they would queue for the same row. Each request still gets its own number.
 */
const countTogether = (limiter: RateLimiterAbstract) =>
  batchByKey(COUNTING, async (id, requests: null[]): Promise<RequestCount[]> => {
    const { last, resetMs } = await count(limiter, id, requests.length);
    return requests.map((_, nth) => ({ place: last - requests.length + 1 + nth, resetMs }));
  });

/** Counts requests and returns the number of the last one. */
async function count(limiter: RateLimiterAbstract, id: string, requests: number) {
  try {
    const { consumedPoints, msBeforeNext } = await limiter.consume(id, requests);
    return { last: consumedPoints, resetMs: msBeforeNext };
  } catch (rejection) {
    if (!(rejection instanceof RateLimiterRes)) throw rejection;
    const { consumedPoints, msBeforeNext } = rejection;
    // Once an id is known to be over its limit, its requests are no longer counted.
    return { last: consumedPoints > 0 ? consumedPoints : Number.POSITIVE_INFINITY, resetMs: msBeforeNext };
  }
}

/**
 * Answers 429 with Retry-After (RFC 9110, 10.2.3) above the limit, and adds the remaining quota to every answer. Public
 * routes are limited by the caller's address, and so are requests with a wrong key.
 */
export const rateLimit = fastifyPlugin(async (app: FastifyInstance, { rateLimits }: { rateLimits: RateLimits }) => {
  app.addHook('onRequest', async (request, reply) => {
    const { scope, limitedBy } = request.routeOptions.config;
    if (scope === undefined) return;
    if (scope === 'partner') await enforce(rateLimits, 'partner', request.partner.id, reply);
    else if (scope === 'operator') await enforce(rateLimits, 'operator', request.operator.id, reply);
    else if (scope !== 'public') await enforceForOrg(rateLimits, request, reply);
    else if (limitedBy === 'address' || limitedBy === 'help' || limitedBy === 'files')
      await enforce(rateLimits, LIMIT_OF_PUBLIC[limitedBy], networkOf(request.ip), reply);
  });

  app.addHook('onSend', async (request, reply, payload) => {
    if (!isRefused(request, reply)) return payload;
    const count = await rateLimits.consume('refused', networkOf(request.ip));
    if (count.isAllowed) return payload;
    measured('limit-reached', { limit: 'refused' });
    const headers = quotaHeaders(rateLimits, 'refused', count);
    reply.code(429).headers({ ...headers, 'retry-after': Math.max(1, headers['x-ratelimit-reset']) });
    reply.removeHeader('content-length');
    const answer = errorAnswer(429, 'Too many requests with a wrong key or address: try again later', {
      limit: 'refused',
    });
    return bodyOfError(request, reply, answer);
  });
});

/** Counts a request of an org, or of a member of one, whom other members and keys do not use up. */
function enforceForOrg(
  rateLimits: RateLimits,
  { org, routeOptions }: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (org.member !== undefined) return enforce(rateLimits, 'member', `${org.id} ${org.member.id}`, reply);
  const isStreaming = routeOptions.config.isStreaming === true;
  return enforce(rateLimits, isStreaming ? 'streaming' : 'standard', org.id, reply);
}

/** Returns whether the answer says that a key, or a token in the path of a public route, is wrong. */
function isRefused({ routeOptions }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  const { scope, limitedBy } = routeOptions.config;
  return scope === 'public' ? limitedBy === 'refusals' && REFUSED.includes(statusCode) : statusCode === 401;
}

/** Counts the request against a limit, and shows the rest of it on the reply. Throws a 429 if the limit is exceeded. */
export async function enforce(
  rateLimits: RateLimits,
  name: RateLimitName,
  id: string,
  reply?: FastifyReply,
): Promise<void> {
  const count = await rateLimits.consume(name, id);
  const headers = quotaHeaders(rateLimits, name, count);
  reply?.headers(headers);
  if (count.isAllowed) return;
  throw new TooManyRequests(
    `More than ${rateLimits.limitOf(name)} requests ${secondsOf(name) === HOUR_SECONDS ? 'an hour' : 'a minute'}: try again after the seconds in Retry-After`,
    Math.max(headers['x-ratelimit-reset'], 1),
    { code: 'rate_limited', limit: name },
  );
}

const quotaHeaders = (
  rateLimits: RateLimits,
  name: RateLimitName,
  { remaining, resetMs }: { remaining: number; resetMs: number },
) => ({
  'x-ratelimit-limit': rateLimits.limitOf(name),
  'x-ratelimit-remaining': remaining,
  'x-ratelimit-reset': Math.ceil(resetMs / 1000),
});
