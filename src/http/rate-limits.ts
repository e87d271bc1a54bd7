import type { FastifyInstance, FastifyReply } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type pg from 'pg';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../config.ts';

const WINDOW_SECONDS = 60;

export type RateLimitName = 'standard' | 'streaming' | 'partner' | 'login-links';

export interface RateLimits {
  limitOf(name: RateLimitName): number;
  /** Counts one request of `id`. `isAllowed` is false over the limit. */
  consume(name: RateLimitName, id: string): Promise<{ isAllowed: boolean; remaining: number; resetMs: number }>;
}

/** Counts requests a minute, in Postgres over all api processes or in this process's memory. */
export function createRateLimits(config: Config, pool: pg.Pool): RateLimits {
  const limits: Record<RateLimitName, number> = {
    standard: config.RATE_LIMIT_STANDARD,
    streaming: config.RATE_LIMIT_STREAMING,
    partner: config.RATE_LIMIT_PARTNER,
    'login-links': config.RATE_LIMIT_LOGIN_LINKS,
  };
  const create = (name: RateLimitName) => {
    const options = { keyPrefix: name, points: limits[name], duration: WINDOW_SECONDS };
    if (config.RATE_LIMIT_STORE === 'memory') return new RateLimiterMemory(options);
    return new RateLimiterPostgres({
      ...options,
      storeClient: pool,
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
      inMemoryBlockOnConsumed: limits[name] + 1,
    });
  };
  const limiters = {
    standard: create('standard'),
    streaming: create('streaming'),
    partner: create('partner'),
    'login-links': create('login-links'),
  };

  return {
    limitOf: (name) => limits[name],
    async consume(name, id) {
      try {
        const { remainingPoints, msBeforeNext } = await limiters[name].consume(id);
        return { isAllowed: true, remaining: remainingPoints, resetMs: msBeforeNext };
      } catch (rejection) {
        if (!(rejection instanceof RateLimiterRes)) throw rejection;
        return { isAllowed: false, remaining: 0, resetMs: rejection.msBeforeNext };
      }
    },
  };
}

/** Answers 429 with Retry-After (RFC 9110, 10.2.3) over the limit, and says on every answer what is left. */
export const rateLimit = fastifyPlugin(async (app: FastifyInstance, { rateLimits }: { rateLimits: RateLimits }) => {
  app.addHook('onRequest', async (request, reply) => {
    const { scope, isStreaming } = request.routeOptions.config;
    if (scope === undefined || scope === 'public') return;
    if (scope === 'partner') await enforce(rateLimits, 'partner', request.partner.id, reply);
    else await enforce(rateLimits, isStreaming === true ? 'streaming' : 'standard', request.org.id, reply);
  });
});

/** Counts the request against a limit and throws the 429 when it is used up. */
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
