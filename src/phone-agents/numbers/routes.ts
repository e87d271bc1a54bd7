import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { BindPhoneNumber, OwnPhoneNumber, PhoneNumberPath, SipTrunk } from './schema.ts';
import { bindPhoneNumber, listPhoneNumbers, listSipTrunks, unbindPhoneNumber } from './service.ts';

const tags = ['phone'];

export const phoneNumberRoutes: FastifyPluginAsyncZod<Deps> = async (app, { phonePlatforms }) => {
  app.get('/phone/numbers', {
    config: { scope: 'phone:read' },
    schema: {
      operationId: 'listPhoneNumbers',
      summary: 'List phone numbers',
      description: 'Lists the numbers of the connected voice platform, with the phone agents that take their calls.',
      tags,
      response: { 200: z.array(OwnPhoneNumber), ...errorResponses(403, 409, 503) },
    },
    handler: ({ db, org }) => listPhoneNumbers(db, phonePlatforms, org.id),
  });

  app.put('/phone/numbers/:id', {
    config: { scope: 'phone:write' },
    schema: {
      operationId: 'bindPhoneNumber',
      summary: 'Bind a phone number',
      description:
        'Has an inbound phone agent take the calls to a number of the voice platform, in place of another one.',
      tags,
      params: PhoneNumberPath,
      body: BindPhoneNumber,
      response: { 200: OwnPhoneNumber, ...errorResponses(403, 404, 409, 503) },
    },
    handler: ({ db, org, params, body }) => bindPhoneNumber(db, phonePlatforms, org.id, { id: params.id, ...body }),
  });

  app.delete('/phone/numbers/:id', {
    config: { scope: 'phone:write' },
    schema: {
      operationId: 'unbindPhoneNumber',
      summary: 'Unbind a phone number',
      description: 'The number stays at the voice platform, which asks this API no longer who takes its calls.',
      tags,
      params: PhoneNumberPath,
      response: { 200: OwnPhoneNumber, ...errorResponses(403, 404, 409, 503) },
    },
    handler: ({ db, org, params }) => unbindPhoneNumber(db, phonePlatforms, org.id, params.id),
  });

  app.get('/phone/sip-trunks', {
    config: { scope: 'phone:read' },
    schema: {
      operationId: 'listSipTrunks',
      summary: 'List SIP trunks',
      description: 'Lists the SIP trunks of the connected voice platform. Numbers are bound to them with their agent.',
      tags,
      response: { 200: z.array(SipTrunk), ...errorResponses(403, 409, 503) },
    },
    handler: ({ org }) => listSipTrunks(phonePlatforms, org.id),
  });
};
