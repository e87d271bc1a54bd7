import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { WriteQuota } from '../../db/write-quota.ts';
import { currentWriter } from '../../processes/current-work.ts';

const WRITING_METHODS = ['POST', 'PUT', 'PATCH'];

/** Refuses requests that write, if the org or the anonymous address has used up its day's quota. */
export const enforceWriteQuota = fastifyPlugin(async (app: FastifyInstance, { quota }: { quota: WriteQuota }) => {
  app.addHook('onRequest', async (request) => {
    const writer = isWriting(request) ? currentWriter() : undefined;
    if (writer !== undefined) quota.assertLeft(writer);
  });
});

const isWriting = ({ method, routeOptions }: FastifyRequest) =>
  WRITING_METHODS.includes(method) && routeOptions.config.scope?.endsWith(':read') !== true;
