import { text } from 'node:stream/consumers';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../../api/deps.ts';
import { requestKeyOf } from '../../api/edge/idempotency.ts';
import { once } from '../../api/edge/once.ts';
import { receiveFile, uploads } from '../../api/edge/uploads.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { testAction } from '../calls/http-call.ts';
import { TestAction, TestedAction } from '../calls/schema.ts';
import { importActions } from '../openapi-import/service.ts';
import { Action, ActionPath, CreateAction, ImportActions, ImportedActions, UpdateAction } from './schema.ts';
import { changeAction, createAction, deleteActions, getAction, readActions, removeAction } from './service.ts';

const tags = ['actions'];
const MAX_DOCUMENT_BYTES = 1024 * 1024;

export const actionRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  const { secrets, egress, calls } = deps;
  await app.register(importRoutes, deps);

  app.get('/actions', {
    config: { scope: 'actions:read' },
    schema: {
      operationId: 'listActions',
      summary: 'List actions',
      tags,
      description: 'Lists all actions, the oldest first.',
      response: { 200: z.array(Action), ...errorResponses(403) },
    },
    handler: ({ db, org }) => readActions(db, org.id),
  });

  app.post('/actions', {
    config: { scope: 'actions:write' },
    schema: {
      operationId: 'createAction',
      summary: 'Create an action',
      description:
        'Creates an HTTP call that the AI, phone agents and workflows can make. An `operation_id` in use, or more than 500 actions, are a 409.',
      tags,
      body: CreateAction,
      response: { 201: Action, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return createAction(db, org.id, body);
    },
  });

  app.delete('/actions', {
    config: { scope: 'actions:write' },
    schema: {
      operationId: 'deleteActions',
      tags,
      summary: 'Delete all actions',
      description:
        'Deletes all actions, those of connections too. The AI, phone agents and workflows that use them can no longer make these calls.',
      response: { 200: NoBody, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => {
      await deleteActions(db, org.id);
      return NO_BODY;
    },
  });

  app.get('/actions/:id', {
    config: { scope: 'actions:read' },
    schema: {
      operationId: 'getAction',
      summary: 'Get an action',
      description: 'Returns the definition of the action as it was given.',
      tags,
      params: ActionPath,
      response: { 200: Action, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params }) => getAction(db, org.id, params.id),
  });

  app.patch('/actions/:id', {
    config: { scope: 'actions:write' },
    schema: {
      operationId: 'updateAction',
      summary: 'Update an action',
      tags,
      description:
        'Absent fields keep their values. What an action of a connection calls changes only with the connection (400). An `operation_id` in use is a 409.',
      params: ActionPath,
      body: UpdateAction,
      response: { 200: Action, ...errorResponses(403, 404, 409) },
    },
    handler: ({ db, org, params, body }) => changeAction(db, org.id, params.id, body),
  });

  app.delete('/actions/:id', {
    config: { scope: 'actions:write' },
    schema: {
      operationId: 'deleteAction',
      summary: 'Delete an action',
      tags,
      description:
        'Workflows that execute the action fail there from now on, and the AI and phone agents no longer call it.',
      params: ActionPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeAction(db, org.id, params.id);
      return NO_BODY;
    },
  });

  app.post(
    '/actions/:id/test',
    once({
      config: { scope: 'actions:write' },
      schema: {
        operationId: 'testAction',
        summary: 'Test an action',
        tags,
        description:
          'Makes the real call, once, with the `http_action_overrides` of the contact and the organization, and returns what came back. 422 says why no answer came, such as an address that is not public. Repeated with its Idempotency-Key, it calls nothing again but a GET whose answer was lost.',
        params: ActionPath,
        body: TestAction,
        response: { 200: TestedAction, ...errorResponses(403, 404) },
      },
      prepare: async (request) => {
        const { db, org, params, body } = request;
        const requestKey = requestKeyOf(request);
        return testAction({ db, egress, secrets, calls }, org.id, params.id, { ...body, requestKey });
      },
      act: async (_request, { prepared: tested }) => ({ answer: tested }),
    }),
  );
};

const importRoutes: FastifyPluginAsyncZod<Deps> = async (app, { documents }) => {
  await app.register(uploads);

  app.put('/actions', {
    config: { scope: 'actions:write' },
    schema: {
      operationId: 'importActions',
      summary: 'Import actions from an OpenAPI document',
      tags,
      description:
        'Creates an action of each operation of an OpenAPI 3 document. An action with the same `operationId` gets what the document says and keeps all else; actions that the document does not have stay. A document that is too costly is refused with the bound that it exceeds; 429 and 503 mean that others are being read.',
      consumes: ['multipart/form-data'],
      body: ImportActions,
      response: { 200: ImportedActions, ...errorResponses(403, 409) },
    },
    handler: async (request) => {
      await using upload = await receiveFile(request, MAX_DOCUMENT_BYTES);
      return await importActions(request.db, documents, request.org.id, await text(upload.bytes.open()));
    },
  });
};
