import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import {
  CreateSavedReply,
  ListSavedReplies,
  RenderedReply,
  RenderSavedReply,
  SavedReply,
  SavedReplyPage,
  SavedReplyPath,
  UpdateSavedReply,
} from './saved-replies.schema.ts';
import {
  changeSavedReply,
  createSavedReply,
  getSavedReply,
  pageOfSavedReplies,
  removeSavedReply,
  renderSavedReply,
} from './saved-replies.service.ts';

const tags = ['saved replies'];
const reading = { scope: 'chat-sessions:read' } as const;
const writing = { scope: 'chat-sessions:write', isSetUp: true } as const;

/** Routes for texts that a team uses again. */
export const savedReplyRoutes: FastifyPluginAsyncZod<Deps> = async (app, { mediaLinks }) => {
  app.get('/saved-replies', {
    config: reading,
    schema: {
      operationId: 'listSavedReplies',
      tags,
      summary: 'List or search saved replies',
      description:
        'Lists the saved replies by creation. With `q`, those that contain the text: shortcuts that begin with it come first, then the most used ones.',
      querystring: ListSavedReplies,
      response: { 200: SavedReplyPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfSavedReplies(db, mediaLinks, org.id, query),
  });

  app.post('/saved-replies', {
    config: writing,
    schema: {
      operationId: 'createSavedReply',
      tags,
      summary: 'Create a saved reply',
      description:
        'Saves a text for the team to use again, with files and with what to do to the session. A shortcut in use, in any letter case, is a 409.',
      body: CreateSavedReply,
      response: { 201: SavedReply, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return createSavedReply(db, mediaLinks, org.id, body);
    },
  });

  app.get('/saved-replies/:id', {
    config: reading,
    schema: {
      operationId: 'getSavedReply',
      tags,
      summary: 'Get a saved reply',
      description: 'Returns the saved reply with its text as it was written.',
      params: SavedReplyPath,
      response: { 200: SavedReply, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getSavedReply(db, mediaLinks, org.id, params.id),
  });

  app.patch('/saved-replies/:id', {
    config: writing,
    schema: {
      operationId: 'updateSavedReply',
      tags,
      summary: 'Change a saved reply',
      description:
        'Absent fields keep their values. `attachments` replaces all files. A shortcut in use, in any letter case, is a 409.',
      params: SavedReplyPath,
      body: UpdateSavedReply,
      response: { 200: SavedReply, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) =>
      changeSavedReply(db, mediaLinks, org.id, { id: params.id, changes: body }),
  });

  app.delete('/saved-replies/:id', {
    config: writing,
    schema: {
      operationId: 'deleteSavedReply',
      tags,
      summary: 'Delete a saved reply',
      description: 'Deletes a saved reply. What was sent with it stays.',
      params: SavedReplyPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeSavedReply(db, org.id, params.id);
      return NO_BODY;
    },
  });

  app.post('/saved-replies/:id/render', {
    config: { ...writing, isRepeatable: true },
    schema: {
      operationId: 'renderSavedReply',
      tags,
      summary: 'Render a saved reply',
      description:
        'Fills in the fields of the session’s contact, and counts the use. `missing` names the fields to ask for. It sends nothing.',
      params: SavedReplyPath,
      body: RenderSavedReply,
      response: { 200: RenderedReply, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, body }) =>
      renderSavedReply(db, mediaLinks, org.id, { id: params.id, sessionId: body.session_id }),
  });
};
