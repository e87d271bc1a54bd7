import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { once } from '../../api/edge/once.ts';
import { HANDOFF_TEXTS, HandedOff } from '../../conversations/sessions/actions.schema.ts';
import { SessionPath } from '../../conversations/sessions/schema.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { retryHandoff, settlePart } from './repairs.service.ts';
import { SettlePart } from './schema.ts';

const tags = ['chat sessions'];

/** Manual repairs of handoffs that are incomplete in the ticketing system. */
export const crmHandoffRoutes: FastifyPluginAsyncZod = async (app) => {
  app.post(
    '/chat/sessions/:id/handoff/retry',
    once({
      config: { scope: 'chat-sessions:write' },
      schema: {
        operationId: 'retryHandoff',
        summary: 'Retry a handoff',
        tags,
        description:
          'Tries the parts of the handoff again now that wait for their next try or were refused. A session without a handoff to a ticketing system is a 409.',
        params: SessionPath,
        response: { 200: HandedOff, ...errorResponses(403, 404, 409) },
      },
      act: async ({ db, org, params }) => ({ answer: { handoff: await retryHandoff(db, org.id, params.id) } }),
      redact: HANDOFF_TEXTS,
    }),
  );

  app.post(
    '/chat/sessions/:id/handoff/settle',
    once({
      config: { scope: 'chat-sessions:write' },
      schema: {
        operationId: 'settleHandoffPart',
        summary: 'Settle a part of a handoff',
        tags,
        description:
          'Ends a part of the handoff that waits or was refused: somebody made it by hand, or nobody wants it. With `external_id`, it is linked. A part in another state is a 409.',
        params: SessionPath,
        body: SettlePart,
        response: { 200: HandedOff, ...errorResponses(403, 404, 409) },
      },
      act: async ({ db, org, params, body }) => ({
        answer: { handoff: await settlePart(db, org.id, params.id, body) },
      }),
      redact: HANDOFF_TEXTS,
    }),
  );
};
