import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { CountInbox, InboxCounts, InboxPage, ListInbox } from './schema.ts';
import { countViews, pageOfInbox } from './service.ts';
import { CreateView, UpdateView, View, ViewPath, Views } from './views.schema.ts';
import { changeView, createView, listVisibleViews, removeView } from './views.service.ts';

const tags = ['inbox'];

/** Routes of the lists that people work in. */
export const inboxRoutes: FastifyPluginAsyncZod<Deps> = async (app, { confirmations }) => {
  app.get('/inbox', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'listInbox',
      tags,
      summary: 'List the inbox',
      description:
        'Lists sessions as small rows in one of four orders, of a view or by filters. `next` continues behind the last row, whatever has changed meanwhile. The events of GET /events?topics=inbox have the same rows.',
      querystring: ListInbox,
      response: { 200: InboxPage, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, query }) => pageOfInbox(db, org, query, confirmations),
  });

  app.get('/inbox/counts', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'countInbox',
      tags,
      summary: 'Count the sessions of views',
      description:
        'Counts the sessions of each view: all, the unread ones and those with a breached target. A number is counted to 1,000 at most, which then means 1,000 or more.',
      querystring: CountInbox,
      response: { 200: InboxCounts, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, query }) => countViews(db, org, [...new Set(query.views.split(','))]),
  });

  app.get('/views', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'listInboxViews',
      tags,
      summary: 'List inbox views',
      description:
        'Lists the views that every organization has, then the member’s own and those shared with its teams or the organization, by position. An API key sees all that are shared.',
      response: { 200: Views, ...errorResponses(403) },
    },
    handler: ({ db, org }) => listVisibleViews(db, org),
  });

  app.post('/views', {
    config: { scope: 'chat-sessions:write', isSetUp: true },
    schema: {
      operationId: 'createInboxView',
      tags,
      summary: 'Create an inbox view',
      description:
        'Stores filters and an order under a name, for the member alone, for a team or for the organization. More than 1,000 views are a 409.',
      body: CreateView,
      response: { 201: View, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return createView(db, org, body);
    },
  });

  app.patch('/views/:id', {
    config: { scope: 'chat-sessions:write', isSetUp: true },
    schema: {
      operationId: 'updateInboxView',
      tags,
      summary: 'Change an inbox view',
      description:
        'Absent fields keep their values. A shared view can be changed by the member who made it, by admins and by API keys, not by others (403).',
      params: ViewPath,
      body: UpdateView,
      response: { 200: View, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params, body }) => changeView(db, org, params.id, body),
  });

  app.delete('/views/:id', {
    config: { scope: 'chat-sessions:write', isSetUp: true },
    schema: {
      operationId: 'deleteInboxView',
      tags,
      summary: 'Delete an inbox view',
      description: 'Deletes the view; its sessions stay. Who may change a view may delete it.',
      params: ViewPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeView(db, org, params.id);
      return NO_BODY;
    },
  });
};
