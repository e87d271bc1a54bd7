import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../../api/deps.ts';
import { streamOwnCsv } from '../../api/edge/documents/csv.ts';
import { leaveUnread, receiveText } from '../../api/edge/input/text-file.ts';
import { once } from '../../api/edge/once.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import {
  ContactImport,
  ContactImportPage,
  ContactsCsv,
  ImportOptions,
  ImportPath,
  ListContactImports,
  MAX_IMPORT_BYTES,
  StartedImport,
} from './schema.ts';
import { discardImport, getImport, pageOfImports, refusedLines, startImport, storeImport } from './service.ts';

const tags = ['contacts'];

export const contactImportRoutes: FastifyPluginAsyncZod<Deps> = async (app, { db: pool, storage, config }) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('text/csv', leaveUnread);

  app.post(
    '/contacts/import',
    once({
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'importContacts',
        summary: 'Import contacts from CSV',
        tags,
        description:
          'Saves each line as POST /contacts does, by a job that GET /contacts/imports/{id} shows. Refused lines come back as a file.',
        consumes: ['text/csv'],
        querystring: ImportOptions,
        body: ContactsCsv,
        response: { 202: StartedImport, ...errorResponses(403) },
      },
      receive: async (request) => receiveText(request, MAX_IMPORT_BYTES),
      prepare: async ({ org, query }, { received, ifRefused }) => {
        const added = await storeImport(pool, storage, org.id, { file: received.bytes, options: query });
        ifRefused(() => discardImport(pool, storage, org.id, added));
        return added;
      },
      act: async ({ db, org }, { prepared, reply }) => {
        reply.code(202);
        return { answer: await startImport(db, org.id, prepared) };
      },
    }),
  );

  app.get('/contacts/imports', {
    config: { scope: 'contacts:read' },
    schema: {
      operationId: 'listContactImports',
      summary: 'List imports of contacts',
      tags,
      description: 'Lists the imports that run, and those that ended within a week.',
      querystring: ListContactImports,
      response: { 200: ContactImportPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfImports(db, config.PUBLIC_URL, org.id, query),
  });

  app.get('/contacts/imports/:id', {
    config: { scope: 'contacts:read' },
    schema: {
      operationId: 'getContactImport',
      summary: 'See how far an import is',
      tags,
      description: 'Kept for a week after its end.',
      params: ImportPath,
      response: { 200: ContactImport, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getImport(db, config.PUBLIC_URL, { orgId: org.id, importId: params.id }),
  });

  app.get('/contacts/imports/:id/refused', {
    config: { scope: 'contacts:read' },
    schema: {
      operationId: 'listRefusedContacts',
      summary: 'Download the refused lines of an import',
      tags,
      description: 'The number, reason and cells of each. Corrected, it can be imported.',
      params: ImportPath,
      response: {
        200: {
          description: 'CSV.',
          content: { 'text/csv': { schema: z.string() } },
        },
        ...errorResponses(403, 404),
      },
    },
    handler: async ({ db, org, params }, reply) =>
      streamOwnCsv(reply, await refusedLines(db, { orgId: org.id, importId: params.id })),
  });
};
