import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { once } from '../../api/edge/once.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { CALL_TEXTS, Call, CallPage, CallPath, ListCalls, SettleCall } from './schema.ts';
import { pageOfCalls, settleCall } from './service.ts';

const tags = ['autopilot'];

/** Routes of the AI's calls of actions. */
export const callRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/autopilot/calls', {
    config: { scope: 'autopilot:read' },
    schema: {
      operationId: 'listAutopilotCalls',
      tags,
      summary: 'List calls of the AI',
      description:
        'Lists the calls of actions and workflows by the AI. Those in the state `unknown` are for you to settle.',
      querystring: ListCalls,
      response: { 200: CallPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfCalls(db, org.id, query),
  });

  app.post(
    '/autopilot/calls/:id/settle',
    once({
      config: { scope: 'autopilot:write' },
      schema: {
        operationId: 'settleAutopilotCall',
        tags,
        summary: 'Settle a call of unknown outcome',
        description:
          'Records whether a call was done; one whose outcome is known is a 409. The AI then continues with the session: it tells the contact, and may make a call again that was not done.',
        params: CallPath,
        body: SettleCall,
        response: { 200: Call, ...errorResponses(403, 404, 409) },
      },
      act: async ({ db, org, params, body }) => ({
        answer: await settleCall(db, org.id, params.id, { ...body, keyId: org.keyId }),
      }),
      redact: CALL_TEXTS,
    }),
  );
};
