import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { EmailInbox, EmailInboxPage, InboxPath, ListInboxes, PutInbox } from './schema.ts';
import { pageOfInboxes, putInbox, removeInbox } from './service.ts';

const tags = ['email'];

export const inboxRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config }) => {
  app.put('/email/inboxes', {
    config: { scope: 'email:write' },
    schema: {
      operationId: 'putEmailInbox',
      summary: 'Add or replace an inbox',
      tags,
      description:
        'Adds an inbox: mail to the address opens a session, or continues the one that it answers. It replaces an inbox with the same address: an absent field gets its default. An address of another organization, or more than 100, are a 409.',
      body: PutInbox,
      response: { 200: EmailInbox, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }) => putInbox(db, org.id, body, { inboundDomain: config.INBOUND_DOMAIN }),
  });

  app.get('/email/inboxes', {
    config: { scope: 'email:read' },
    schema: {
      operationId: 'listEmailInboxes',
      summary: 'List the inboxes',
      tags,
      description:
        'Lists the inboxes of the organization, oldest first, and whether mail can go out from them and come in by SMTP.',
      querystring: ListInboxes,
      response: { 200: EmailInboxPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfInboxes(db, org.id, query),
  });

  app.delete('/email/inboxes/:id', {
    config: { scope: 'email:write' },
    schema: {
      operationId: 'deleteEmailInbox',
      summary: 'Delete an inbox',
      tags,
      description: 'Deletes the inbox. Mail to the address is refused from then on, and sessions that it opened stay.',
      params: InboxPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeInbox(db, org.id, params.id);
      return NO_BODY;
    },
  });
};
