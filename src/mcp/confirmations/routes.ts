import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { performAs } from '../perform.ts';
import { ListMcpConfirmations, McpConfirmation, McpConfirmationPage, McpConfirmationRef } from './schema.ts';
import { confirmCall, getMcpConfirmation, pageOfMcpConfirmations, rejectMcpCall } from './service.ts';

const tags = ['mcp'];
const reading = { scope: 'autopilot:read' } as const;
const deciding = { scope: 'confirmations:write', isRepeatable: true } as const;

/** Routes with which people decide about calls of assistants. */
export const mcpConfirmationRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/mcp/confirmations', {
    config: reading,
    schema: {
      operationId: 'listMcpConfirmations',
      tags,
      summary: 'List calls of assistants to confirm',
      description:
        'Calls of tools of `/mcp` that write to customers wait here for a person, oldest first. Each waits for 24 hours, and is kept for 30 days.',
      querystring: ListMcpConfirmations,
      response: { 200: McpConfirmationPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfMcpConfirmations(db, org.id, query),
  });

  app.get('/mcp/confirmations/:id', {
    config: reading,
    schema: {
      operationId: 'getMcpConfirmation',
      tags,
      summary: 'Get a call of an assistant',
      description: 'The call with its arguments, and its answer once somebody has confirmed it.',
      params: McpConfirmationRef,
      response: { 200: McpConfirmation, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getMcpConfirmation(db, org.id, params.id),
  });

  app.post('/mcp/confirmations/:id/confirm', {
    config: deciding,
    schema: {
      operationId: 'confirmMcpCall',
      tags,
      summary: 'Confirm a call of an assistant',
      description:
        'Makes the call once, by your rights, and returns how it ended. The key that asked is refused (403). 409 if somebody has decided already, 410 once its time is over.',
      params: McpConfirmationRef,
      response: { 200: McpConfirmation, ...errorResponses(403, 404, 409, 410) },
    },
    handler: async (request) => confirmCall(request.db, request.org, request.params.id, performAs(app, request)),
  });

  app.post('/mcp/confirmations/:id/reject', {
    config: deciding,
    schema: {
      operationId: 'rejectMcpCall',
      tags,
      summary: 'Reject a call of an assistant',
      description: 'The call is never made. 403, 409 and 410 as for confirming.',
      params: McpConfirmationRef,
      response: { 200: McpConfirmation, ...errorResponses(403, 404, 409, 410) },
    },
    handler: async ({ db, org, params }) => rejectMcpCall(db, org, params.id),
  });
};
