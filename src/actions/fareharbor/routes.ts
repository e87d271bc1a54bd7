import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { FareHarborConnections, FareHarborRef, PutFareHarbor } from './schema.ts';
import { putFareHarbor, readFareHarbor, removeFareHarbor } from './service.ts';

const tags = ['integrations'];
const PATH = '/integrations/fareharbor';

export const fareHarborRoutes: FastifyPluginAsyncZod<Deps> = async (
  app,
  { config, secrets, callbacks, fareHarbor },
) => {
  const deps = { secrets, publicUrl: config.PUBLIC_URL, callbacks, fareHarbor };

  app.get(PATH, {
    config: { scope: 'org:read' },
    schema: {
      operationId: 'listFareHarborConnections',
      tags,
      summary: 'List FareHarbor connections',
      description: 'Lists the connections by name. Keys are shown as `***`.',
      response: { 200: FareHarborConnections, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => ({ items: await readFareHarbor(db, deps, org.id), next: null }),
  });

  app.put(PATH, {
    config: { scope: 'org:write' },
    schema: {
      operationId: 'putFareHarborIntegration',
      tags,
      summary: 'Replace FareHarbor connections',
      description:
        'Checks all keys with FareHarbor, then replaces all connections. Each becomes actions of the AI: companies, items, availabilities, and bookings, which ask for a confirmation; actions of a connection whose name stays keep their ids and settings. 400 names refused connections and 503 means that FareHarbor did not answer: nothing has changed then.',
      body: PutFareHarbor,
      response: { 200: FareHarborConnections, ...errorResponses(403, 409, 503) },
    },
    handler: async ({ db, org, body }) => ({ items: await putFareHarbor(db, deps, org.id, body), next: null }),
  });

  app.delete(PATH, {
    config: { scope: 'org:write' },
    schema: {
      operationId: 'deleteFareHarborConnections',
      tags,
      summary: 'Delete FareHarbor connections',
      description: 'Deletes one connection by name, or all of them, with their actions. Without any, it is a 404.',
      querystring: FareHarborRef,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, query }) => {
      await removeFareHarbor(db, org.id, query.name);
      return NO_BODY;
    },
  });
};
