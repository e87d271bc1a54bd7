import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { forbidden } from '../../errors.ts';
import type { OrgPrincipal } from '../../keys/verifier.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { SessionPath } from '../sessions/schema.ts';
import { MarkRead, ReadMark } from './schema.ts';
import { markRead, markUnread } from './service.ts';

const tags = ['inbox'];
const config = { scope: 'chat-sessions:read', isRepeatable: true } as const;

/** Routes for a member's own reading marks. They change nothing for others. */
export const readingRoutes: FastifyPluginAsyncZod = async (app) => {
  app.post('/chat/sessions/:id/read', {
    config,
    schema: {
      operationId: 'markChatSessionRead',
      tags,
      summary: 'Mark a session as read',
      description:
        'Marks the session as read for the member who is signed in, up to an item or all of it. It is unread again once its contact writes. An API key has no marks (403).',
      params: SessionPath,
      body: MarkRead,
      response: { 200: ReadMark, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params, body }) => markRead(db, org.id, readerOf(org, params.id), body),
  });

  app.post('/chat/sessions/:id/unread', {
    config,
    schema: {
      operationId: 'markChatSessionUnread',
      tags,
      summary: 'Mark a session as unread',
      description:
        'Lets the session count as unread for the member who is signed in, until the member marks it as read. An API key has no marks (403).',
      params: SessionPath,
      response: { 200: ReadMark, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params }) => markUnread(db, org.id, readerOf(org, params.id)),
  });
};

function readerOf({ member }: OrgPrincipal, sessionId: string) {
  if (member === undefined) throw forbidden('Only a member who is signed in can do this, not an API key');
  return { sessionId, memberId: member.id };
}
