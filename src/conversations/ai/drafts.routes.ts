import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { AiDraftPath, SendAiDraft, SentAiDraft } from './drafts.schema.ts';
import { sendAiDraft } from './drafts.service.ts';

/** Routes for the AI's proposed replies in Assist Mode. */
export const aiDraftRoutes: FastifyPluginAsyncZod<Deps> = async (app, { sending }) => {
  app.post('/chat/sessions/:id/drafts/:draftId/send', {
    config: { scope: 'chat-sessions:write' },
    schema: {
      operationId: 'sendAiDraft',
      summary: 'Send a draft of the AI',
      tags: ['chat sessions'],
      description:
        'Sends a reply that the AI has proposed in Assist Mode to the contact, once, as a message of an agent: as it is, or with another text. Sent before, it is a 409. A member who is signed in sends it in their own name.',
      params: AiDraftPath,
      body: SendAiDraft,
      response: { 201: SentAiDraft, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }, reply) => {
      const agent = org.member === undefined ? {} : { id: org.member.id, name: org.name };
      const draft = { ...body, sessionId: params.id, draftId: params.draftId, agent };
      reply.code(201);
      return { message_id: await sendAiDraft(db, sending, org.id, draft) };
    },
  });
};
