import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { once } from '../../api/edge/once.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import {
  AddedNote,
  AddNote,
  AssignSession,
  HANDOFF_TEXTS,
  HandedOff,
  HandOffSession,
  RemoveTags,
  SessionTags,
} from './actions.schema.ts';
import { addNote, addTags, assignSession, handOff, removeTags } from './actions.service.ts';
import { IfMatch, SessionPath } from './schema.ts';
import { ifUnchanged } from './service.ts';

const tags = ['chat sessions'];

/** Routes for the actions of a support team on sessions. */
export const sessionActionRoutes: FastifyPluginAsyncZod = async (app) => {
  app.post(
    '/chat/sessions/:id/handoff',
    once({
      config: { scope: 'chat-sessions:write' },
      schema: {
        operationId: 'handOffChatSession',
        summary: 'Hand a session off to people',
        tags,
        description:
          'Hands the session off to people: the AI stops, the team assigns it if it is open, and the connected CRM gets it. If it was handed off before, returns the existing handoff.',
        params: SessionPath,
        body: HandOffSession,
        response: { 200: HandedOff, ...errorResponses(403, 404) },
      },
      act: async ({ db, org, params, body }) => ({
        answer: { handoff: await handOff(db, org.id, params.id, { reason: body.reason ?? null }) },
      }),
      redact: HANDOFF_TEXTS,
    }),
  );

  app.post('/chat/sessions/:id/assign', {
    config: { scope: 'chat-sessions:write' },
    schema: {
      operationId: 'assignChatSession',
      summary: 'Assign a session',
      tags,
      description:
        'Assigns the session to a member, a team, both or nobody. Without `assignee_id`, the team picks one by its strategy, now or once a member is available; null: nobody is picked. A session reopened while its assignee is away returns to the team.',
      params: SessionPath,
      headers: IfMatch,
      body: AssignSession,
      response: { 200: NoBody, ...errorResponses(403, 404, 412) },
    },
    handler: async ({ db, org, params, headers, body }) => {
      const seen = { id: params.id, ifMatch: headers['if-match'] };
      await ifUnchanged(db, org.id, seen, (trx) =>
        assignSession(trx, org.id, params.id, { ...body, by: org.member?.id }),
      );
      return NO_BODY;
    },
  });

  app.post('/chat/sessions/:id/notes', {
    config: { scope: 'chat-sessions:write' },
    schema: {
      operationId: 'addChatSessionNote',
      summary: 'Add a note',
      tags,
      description:
        'Adds a note that only the team sees, in the history as `human_agent_comment`. Mentioned members hear of it: GET /me/notifications.',
      params: SessionPath,
      body: AddNote,
      response: { 201: AddedNote, ...errorResponses(403, 404, 412) },
    },
    handler: async ({ db, org, params, body }, reply) => {
      reply.code(201);
      return { id: await addNote(db, org.id, params.id, { ...body, authorId: org.member?.id ?? null }) };
    },
  });

  app.post('/chat/sessions/:id/tags', {
    config: { scope: 'tags:write', memberScope: 'chat-sessions:write' },
    schema: {
      operationId: 'addChatSessionTags',
      summary: 'Tag a session',
      description:
        'Adds tags to the session; those that it has stay. A tag that the organization does not have is a 400: PUT /tags creates it.',
      tags,
      params: SessionPath,
      headers: IfMatch,
      body: SessionTags,
      response: { 200: NoBody, ...errorResponses(403, 404, 412) },
    },
    handler: async ({ db, org, params, headers, body }) => {
      const seen = { id: params.id, ifMatch: headers['if-match'] };
      await ifUnchanged(db, org.id, seen, (trx) => addTags(trx, org.id, params.id, body.tags));
      return NO_BODY;
    },
  });

  app.delete('/chat/sessions/:id/tags', {
    config: { scope: 'tags:write', memberScope: 'chat-sessions:write' },
    schema: {
      operationId: 'removeChatSessionTags',
      summary: 'Remove tags from a session',
      tags,
      description: 'Removes one tag from the session, or all of them. A tag that it does not have changes nothing.',
      params: SessionPath,
      headers: IfMatch,
      querystring: RemoveTags,
      response: { 200: NoBody, ...errorResponses(403, 404, 412) },
    },
    handler: async ({ db, org, params, headers, query }) => {
      const seen = { id: params.id, ifMatch: headers['if-match'] };
      await ifUnchanged(db, org.id, seen, (trx) => removeTags(trx, org.id, params.id, query.tag_name));
      return NO_BODY;
    },
  });
};
