import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { z } from 'zod';

/** Takes an absent body of a POST or PATCH as `{}` where no field is required, and an empty `cursor` as the beginning of a list. */
export const absentInput = fastifyPlugin(async (app: FastifyInstance) => {
  app.addHook('onRoute', (route) => {
    const body = route.schema?.body;
    if (
      !['POST', 'PATCH'].includes(String(route.method)) ||
      !(body instanceof z.ZodType) ||
      !body.safeParse({}).success
    )
      return;
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
