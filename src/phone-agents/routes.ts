import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../api/deps.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../schemas/parts.ts';
import { CreatePhoneAgent, PhoneAgent, PhoneAgentPath, UpdatePhoneAgent } from './schema.ts';
import { changePhoneAgent, createPhoneAgent, removePhoneAgent } from './service.ts';
import { showPhoneAgent, showPhoneAgents } from './tools.service.ts';
import { PhoneModel, PhoneVoice } from './voices.schema.ts';

const tags = ['phone'];

export const phoneAgentRoutes: FastifyPluginAsyncZod<Deps> = async (app, { phonePlatforms }) => {
  app.get('/phone', {
    config: { scope: 'phone:read' },
    schema: {
      operationId: 'listPhoneAgents',
      summary: 'List phone agents',
      tags,
      description: 'Lists all phone agents, the oldest first.',
      response: { 200: z.array(PhoneAgent), ...errorResponses(403) },
    },
    handler: ({ db, org }) => showPhoneAgents(db, org.id),
  });

  app.post('/phone', {
    config: { scope: 'phone:write' },
    schema: {
      operationId: 'createPhoneAgent',
      summary: 'Create a phone agent',
      description:
        'Creates a voice that takes telephone calls (inbound) or makes them (outbound) by its instructions. More than 500 are a 409.',
      tags,
      body: CreatePhoneAgent,
      response: { 201: PhoneAgent, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return showPhoneAgent(db, org.id, await createPhoneAgent(db, phonePlatforms, org.id, body));
    },
  });

  app.patch('/phone/:id', {
    config: { scope: 'phone:write' },
    schema: {
      operationId: 'updatePhoneAgent',
      summary: 'Update a phone agent',
      tags,
      description:
        'Absent fields keep their values, null resets one to its default. Calls that were started before keep their settings.',
      params: PhoneAgentPath,
      body: UpdatePhoneAgent,
      response: { 200: PhoneAgent, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) =>
      showPhoneAgent(db, org.id, await changePhoneAgent(db, phonePlatforms, org.id, { id: params.id, changes: body })),
  });

  app.delete('/phone/:id', {
    config: { scope: 'phone:write' },
    schema: {
      operationId: 'deletePhoneAgent',
      summary: 'Delete a phone agent',
      tags,
      description: 'Steps of sequences and workflows that name the agent make no calls from now on.',
      params: PhoneAgentPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removePhoneAgent(db, org.id, params.id);
      return NO_BODY;
    },
  });

  app.get('/phone/voices', {
    config: { scope: 'phone:read' },
    schema: {
      operationId: 'listPhoneVoices',
      summary: 'List voices',
      description: 'Lists the voices that `voice_id` of a phone agent can name, as the voice platform has them.',
      tags,
      response: { 200: z.array(PhoneVoice), ...errorResponses(403, 409) },
    },
    handler: ({ org }) => phonePlatforms.listVoices(org.id),
  });

  app.get('/phone/models', {
    config: { scope: 'phone:read' },
    schema: {
      operationId: 'listPhoneModels',
      summary: 'List models of phone agents',
      description: 'Lists the models that `model` of a phone agent can name, as the voice platform has them.',
      tags,
      response: { 200: z.array(PhoneModel), ...errorResponses(403, 409) },
    },
    handler: async ({ org }) =>
      (await phonePlatforms.listModels(org.id)).map((id) => ({ id, is_default: id === phonePlatforms.defaultModel })),
  });
};
