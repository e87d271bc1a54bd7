import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/**
 * Whether a client prefers a content type to another one by its `Accept` (RFC 9110, 12.5.1). Without a preference, it gets
 * the other one.
 */
export const prefersType = (request: FastifyRequest, type: string, other: string): boolean =>
  new Negotiator(request).mediaType([other, type]) === type;
