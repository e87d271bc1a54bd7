import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { memberOf } from '../../api/edge/member.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { SessionPath } from '../sessions/schema.ts';
import { DeleteDraft, DraftOfSession, DraftPage, ListDrafts, SaveDraft, SavedDraft } from './drafts.schema.ts';
import { discardDrafts, pageOfDrafts, readDrafts, saveDraft } from './drafts.service.ts';

const tags = ['me'];

/** Routes for the unfinished texts of the signed-in member. */
export const draftRoutes: FastifyPluginAsyncZod<Deps> = async (app, { mediaLinks }) => {
  app.get('/chat/sessions/:id/draft', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'getMyDraft',
      tags,
      summary: 'Get your drafts in a session',
      description:
        'Returns what the member who is signed in has begun to write in the session: a reply, a note, both or nothing. An API key has none (403).',
      params: SessionPath,
      response: { 200: DraftOfSession, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) =>
      readDrafts(db, mediaLinks, org.id, { sessionId: params.id, userId: memberOf(org).id }),
  });

  app.put('/chat/sessions/:id/draft', {
    config: { scope: 'chat-sessions:write' },
    schema: {
      operationId: 'saveMyDraft',
      tags,
      summary: 'Save your draft in a session',
      description:
        'Saves what the member who is signed in has begun to write, in place of its former draft of the same kind in the session. One without text and attachments deletes the draft. With `expected_updated_at`, a draft that was changed elsewhere is not overwritten: 412. A redaction of the session deletes drafts.',
      params: SessionPath,
      body: SaveDraft,
      response: { 200: SavedDraft, ...errorResponses(403, 404, 412) },
    },
    handler: async ({ db, org, params, body }) => ({
      updated_at: await saveDraft(db, org.id, { sessionId: params.id, userId: memberOf(org).id }, body),
    }),
  });

  app.delete('/chat/sessions/:id/draft', {
    config: { scope: 'chat-sessions:write' },
    schema: {
      operationId: 'deleteMyDraft',
      tags,
      summary: 'Delete your drafts in a session',
      description:
        'Deletes what the member who is signed in has begun to write in the session. Without a draft, it does nothing.',
      params: SessionPath,
      querystring: DeleteDraft,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, query }) => {
      await discardDrafts(db, org.id, { sessionId: params.id, userId: memberOf(org).id, ...query });
      return NO_BODY;
    },
  });

  app.get('/me/drafts', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'listMyDrafts',
      tags,
      summary: 'List your drafts',
      description: 'Lists what the member who is signed in has begun to write in all sessions, the newest first.',
      querystring: ListDrafts,
      response: { 200: DraftPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfDrafts(db, mediaLinks, org.id, { ...query, userId: memberOf(org).id }),
  });
};
