import type { FastifyInstance, FastifyReply } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type pg from 'pg';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Config } from '../config.ts';

const WINDOW_SECONDS = 60;

export type RateLimitName = 'standard' | 'streaming' | 'partner' | 'login-links';

export interface RateLimits {
  limitOf(name: RateLimitName): number;
  /** Counts one request of `id`. `isAllowed` is false above the limit. */
  consume(name: RateLimitName, id: string): Promise<{ isAllowed: boolean; remaining: number; resetMs: number }>;
}

/** Counts requests per minute, either in Postgres across all api processes or in this process's memory. */
export function createRateLimits(config: Config, pool: pg.Pool): RateLimits {
  const limits: Record<RateLimitName, number> = {
    standard: config.RATE_LIMIT_STANDARD,
    streaming: config.RATE_LIMIT_STREAMING,
    partner: config.RATE_LIMIT_PARTNER,
    'login-links': config.RATE_LIMIT_LOGIN_LINKS,
  };
  const create = (name: RateLimitName) => {
    const options = { keyPrefix: name, points: limits[name], duration: WINDOW_SECONDS };
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
  const counters = {
    standard: create('standard'),
    streaming: create('streaming'),
    partner: create('partner'),
    'login-links': create('login-links'),
  };

  return {
    limitOf: (name) => limits[name],
    async consume(name, id) {
      const { place, resetMs } = await counters[name](id);
      return { isAllowed: place <= limits[name], remaining: Math.max(limits[name] - place, 0), resetMs };
    },
  };
}

/** The number of this request within the window, from 1. */
interface RequestCount {
  place: number;
  resetMs: number;
}

interface Waiting {
  resolve(place: RequestCount): void;
  reject(error: unknown): void;
}

/**
 * Counts concurrent requests of an id together: those arriving during one count are all added by the next. Separately
 * they would queue for the same row. Each request still gets its own number.
 */
function countTogether(limiter: RateLimiterAbstract): (id: string) => Promise<RequestCount> {
  const waitingFor = new Map<string, Waiting[]>();

  const countAll = async (id: string) => {
    for (;;) {
      const waiting = waitingFor.get(id) ?? [];
      if (waiting.length === 0) break;
      waitingFor.set(id, []);
      try {
        const { last, resetMs } = await count(limiter, id, waiting.length);
        for (const [nth, { resolve }] of waiting.entries())
          resolve({ place: last - waiting.length + 1 + nth, resetMs });
      } catch (error) {
        for (const { reject } of waiting) reject(error);
      }
    }
    waitingFor.delete(id);
  };

  return (id) =>
    new Promise((resolve, reject) => {
      const waiting = waitingFor.get(id);
      if (waiting !== undefined) {
        waiting.push({ resolve, reject });
        return;
      }
      waitingFor.set(id, [{ resolve, reject }]);
      void countAll(id);
    });
}

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

/** Answers 429 with Retry-After (RFC 9110, 10.2.3) above the limit, and adds the remaining quota to every answer. */
export const rateLimit = fastifyPlugin(async (app: FastifyInstance, { rateLimits }: { rateLimits: RateLimits }) => {
  app.addHook('onRequest', async (request, reply) => {
    const { scope, isStreaming } = request.routeOptions.config;
    if (scope === undefined || scope === 'public') return;
    if (scope === 'partner') await enforce(rateLimits, 'partner', request.partner.id, reply);
    else await enforce(rateLimits, isStreaming === true ? 'streaming' : 'standard', request.org.id, reply);
  });
});

/** Counts the request against a limit and throws a 429 if the limit is exceeded. */
export async function enforce(
  rateLimits: RateLimits,
  name: RateLimitName,
  id: string,
  reply: FastifyReply,
): Promise<void> {
  const { isAllowed, remaining, resetMs } = await rateLimits.consume(name, id);
  const resetSeconds = Math.ceil(resetMs / 1000);
  reply.headers({
    'x-ratelimit-limit': rateLimits.limitOf(name),
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': resetSeconds,
  });
  if (isAllowed) return;
  reply.header('retry-after', Math.max(resetSeconds, 1));
  throw new RateLimitExceeded(rateLimits.limitOf(name));
}

class RateLimitExceeded extends Error {
  readonly statusCode = 429;

  constructor(limit: number) {
    super(`More than ${limit} requests a minute: try again after the seconds in Retry-After`);
    this.name = 'RateLimitExceeded';
  }
}
