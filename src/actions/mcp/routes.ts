import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { once } from '../../api/edge/once.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { AcceptMcpTools, ConnectMcpServer, McpServer, McpServerList, McpServerRef, UpdateMcpServer } from './schema.ts';
import {
  acceptTools,
  addServer,
  changeServer,
  getServer,
  readNewServer,
  readServers,
  refreshServer,
  removeServer,
} from './service.ts';

const tags = ['actions'];

/** Routes of the MCP servers whose tools are actions. */
export const mcpServerRoutes: FastifyPluginAsyncZod<Deps> = async (app, { secrets, egress, calls }) => {
  app.get('/actions/mcp', {
    config: { scope: 'actions:read' },
    schema: {
      operationId: 'listMcpServers',
      tags,
      summary: 'List MCP servers',
      description: 'Lists the connected servers by name, each with its tools.',
      response: { 200: McpServerList, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => ({ items: await readServers(db, secrets, org.id), next: null }),
  });

  app.post(
    '/actions/mcp',
    once({
      config: { scope: 'actions:write' },
      schema: {
        operationId: 'connectMcpServer',
        tags,
        summary: 'Connect an MCP server',
        description:
          'Asks a server of the Model Context Protocol for its tools. Each becomes an action that is held: nothing calls it until its definition is accepted. 422 says why the server could not be asked, or what of its list cannot be taken. A name in use is a 409.',
        body: ConnectMcpServer,
        response: { 201: McpServer, ...errorResponses(403, 409, 422) },
      },
      prepare: ({ body }) => readNewServer(egress, body),
      act: async ({ db, org, body }, { prepared: listing, reply }) => {
        reply.code(201);
        return { answer: await addServer(db, secrets, org.id, body, listing) };
      },
    }),
  );

  app.get('/actions/mcp/:name', {
    config: { scope: 'actions:read' },
    schema: {
      operationId: 'getMcpServer',
      tags,
      summary: 'Get an MCP server',
      description: 'Returns the server with its tools: as they are listed, and as they were accepted.',
      params: McpServerRef,
      response: { 200: McpServer, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params }) => getServer(db, secrets, org.id, params.name),
  });

  app.patch('/actions/mcp/:name', {
    config: { scope: 'actions:write' },
    schema: {
      operationId: 'updateMcpServer',
      tags,
      summary: 'Update an MCP server',
      description:
        'Replaces the address or all headers, once the server has answered with them (422 otherwise). At another address, all tools have to be accepted again.',
      params: McpServerRef,
      body: UpdateMcpServer,
      response: { 200: McpServer, ...errorResponses(403, 404, 409, 422) },
    },
    handler: ({ db, org, params, body }) => changeServer({ db, egress, secrets, calls }, org.id, params.name, body),
  });

  app.delete('/actions/mcp/:name', {
    config: { scope: 'actions:write' },
    schema: {
      operationId: 'deleteMcpServer',
      tags,
      summary: 'Disconnect an MCP server',
      description: 'Deletes the server with its headers, and all its actions: nothing can call them any more.',
      params: McpServerRef,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeServer(db, org.id, params.name);
      return NO_BODY;
    },
  });

  app.post('/actions/mcp/:name/refresh', {
    config: { scope: 'actions:write', isRepeatable: true },
    schema: {
      operationId: 'refreshMcpServer',
      tags,
      summary: 'List the tools of an MCP server again',
      description:
        'Asks the server for its tools now. New ones are held, and so are those that differ from what was accepted. It is also done daily, and before calls that may change something.',
      params: McpServerRef,
      response: { 200: McpServer, ...errorResponses(403, 404, 422) },
    },
    handler: ({ db, org, params }) => refreshServer({ db, egress, secrets, calls }, org.id, params.name),
  });

  app.post('/actions/mcp/:name/accept', {
    config: { scope: 'actions:write' },
    schema: {
      operationId: 'acceptMcpTools',
      tags,
      summary: 'Accept tools of an MCP server',
      description:
        'Turns tools on by the definitions that you have looked at. A tool that is listed otherwise by now, or that is unusable, is a 409: none is accepted then.',
      params: McpServerRef,
      body: AcceptMcpTools,
      response: { 200: McpServer, ...errorResponses(403, 404, 409) },
    },
    handler: ({ db, org, params, body }) => acceptTools(db, secrets, org.id, params.name, body),
  });
};
