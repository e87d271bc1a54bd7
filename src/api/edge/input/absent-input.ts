import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { z } from 'zod';

/** Returns whether the body of a route may be absent: that of a POST or PATCH in which no field is required. */
export function mayLackBody({ method, schema }: Pick<RouteOptions, 'method' | 'schema'>): boolean {
  const body = schema?.body;
  return ['POST', 'PATCH'].includes(String(method)) && body instanceof z.ZodType && body.safeParse({}).success;
}

/** Takes an absent body as `{}` where it may be absent, and an empty `cursor` as the beginning of a list. */
export const absentInput = fastifyPlugin(async (app: FastifyInstance) => {
  app.addHook('onRoute', (route) => {
    if (!mayLackBody(route)) return;
    const useDefaults = async (request: FastifyRequest) => {
      if (request.body === undefined) request.body = {};
    };
    route.preValidation = [useDefaults, ...[route.preValidation ?? []].flat()];
  });
  app.addHook('preValidation', async ({ query }) => {
    if (isObject(query) && query.cursor === '') delete query.cursor;
  });
});

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
