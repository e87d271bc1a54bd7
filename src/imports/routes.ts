import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../api/deps.ts';
import { streamOwnCsv } from '../api/edge/documents/csv.ts';
import { leaveUnread, receiveText } from '../api/edge/input/text-file.ts';
import { once } from '../api/edge/once.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import {
  Import,
  ImportFile,
  ImportPage,
  ImportPath,
  ImportQuery,
  ListImports,
  MAX_IMPORT_BYTES,
  StartedImport,
} from './schema.ts';
import {
  assertAccepted,
  cancelImport,
  discardImport,
  getImport,
  pageOfImports,
  reportOf,
  startImport,
  storeImport,
} from './service.ts';

const tags = ['imports'];
/** Clients of the document send the first one. The content of a file decides what it is. */
const TYPES = ['text/csv', 'application/x-ndjson'];
/** Each resource has its own scope, which the service asserts. */
const config = { scope: 'any' } as const;

export const importRoutes: FastifyPluginAsyncZod<Deps> = async (
  app,
  { db: pool, storage, config: { STORAGE_URL, PUBLIC_URL } },
) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([...TYPES, 'application/json'], leaveUnread); // it is no JSON of one value

  app.post(
    '/imports',
    once({
      config,
      schema: {
        operationId: 'startImport',
        summary: 'Import from another desk',
        tags,
        description:
          'Imports an export of Chatwoot, Zendesk or HubSpot by a job that GET /imports/{id} shows. Records keep their times, and nothing reacts to them. Imported again, a file adds what is new in it. Needs `contacts:write`; for conversations `chat-sessions:write` and `tags:write` too; for a help center `help-center:write` instead.',
        consumes: TYPES,
        querystring: ImportQuery,
        body: ImportFile,
        response: { 202: StartedImport, ...errorResponses(403) },
      },
      receive: async (request) =>
        receiveText(request, MAX_IMPORT_BYTES, () =>
          assertAccepted(request.org, request.query, STORAGE_URL !== undefined),
        ),
      prepare: async ({ org, query }, { received, ifRefused }) => {
        const added = await storeImport(pool, storage, org.id, { file: received.bytes, query });
        ifRefused(() => discardImport(pool, storage, org.id, added));
        return added;
      },
      act: async ({ db, org }, { prepared, reply }) => {
        reply.code(202);
        return { answer: await startImport(db, org.id, prepared) };
      },
    }),
  );

  app.get('/imports', {
    config,
    schema: {
      operationId: 'listImports',
      summary: 'List imports',
      tags,
      description: 'Lists the imports of what the caller may import.',
      querystring: ListImports,
      response: { 200: ImportPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfImports(db, PUBLIC_URL, org, query),
  });

  app.get('/imports/:id', {
    config,
    schema: {
      operationId: 'getImport',
      summary: 'See how far an import is',
      tags,
      description: 'Kept for 30 days after its end.',
      params: ImportPath,
      response: { 200: Import, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getImport(db, PUBLIC_URL, org, params.id),
  });

  app.get('/imports/:id/report', {
    config,
    schema: {
      operationId: 'getImportReport',
      summary: 'Download what an import left out',
      tags,
      description:
        'Each record, or part of one, that was left out: its place in the file, its id in the source, and why.',
      params: ImportPath,
      response: {
        200: { description: 'CSV.', content: { 'text/csv': { schema: z.string() } } },
        ...errorResponses(403, 404),
      },
    },
    handler: async ({ db, org, params }, reply) => streamOwnCsv(reply, await reportOf(db, org, params.id)),
  });
};

export const importActionRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config: { PUBLIC_URL } }) => {
  app.post('/imports/:id/cancel', {
    config,
    schema: {
      operationId: 'cancelImport',
      summary: 'Cancel an import',
      tags,
      description: 'Ends a running import. What it has imported stays.',
      params: ImportPath,
      response: { 200: Import, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params }) => cancelImport(db, PUBLIC_URL, org, params.id),
  });
};
