import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { once } from '../../api/edge/once.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { CALL_TEXTS, Call } from '../calls/schema.ts';
import { ConfirmationPage, ConfirmationRef, ListConfirmations } from './schema.ts';
import { decideConfirmation, pageOfConfirmations } from './service.ts';

const tags = ['autopilot'];
const response = { 200: Call, ...errorResponses(403, 404, 409, 410) };

/** Routes for agents' decisions about calls of the AI. */
export const confirmationRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/autopilot/confirmations', {
    config: { scope: 'autopilot:read' },
    schema: {
      operationId: 'listAutopilotConfirmations',
      tags,
      summary: 'List open confirmations',
      description:
        'Lists the calls that the AI makes only once somebody has confirmed them, and that still wait, oldest first.',
      querystring: ListConfirmations,
      response: { 200: ConfirmationPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfConfirmations(db, org.id, query),
  });

  app.post(
    '/autopilot/confirmations/:id/confirm',
    once({
      config: { scope: 'confirmations:write' },
      schema: {
        operationId: 'confirmAutopilotCall',
        tags,
        summary: 'Confirm a call of the AI',
        description:
          'Lets the AI make the call and continue with the session. 409 if it was confirmed or rejected before, if the AI does not have the session, or if the contact is blocked; 410 once its time is over.',
        params: ConfirmationRef,
        response,
      },
      act: async ({ db, org, params }) => ({
        answer: await decideConfirmation(db, org.id, params.id, { decision: 'confirm', by: 'agent', keyId: org.keyId }),
      }),
      redact: CALL_TEXTS,
    }),
  );

  app.post(
    '/autopilot/confirmations/:id/reject',
    once({
      config: { scope: 'confirmations:write' },
      schema: {
        operationId: 'rejectAutopilotCall',
        tags,
        summary: 'Reject a call of the AI',
        description:
          'The call is not made, and the AI says so. 409 if it was confirmed or rejected before, 410 once its time is over.',
        params: ConfirmationRef,
        response,
      },
      act: async ({ db, org, params }) => ({
        answer: await decideConfirmation(db, org.id, params.id, { decision: 'reject', by: 'agent', keyId: org.keyId }),
      }),
      redact: CALL_TEXTS,
    }),
  );
};
