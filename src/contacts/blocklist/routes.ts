import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import {
  BlockContact,
  BlockDomains,
  BlockedContactPage,
  BlockedDomainPage,
  BlockedDomains,
  BlocklistPath,
  BlocklistQuery,
} from './schema.ts';
import {
  blockContact,
  blockDomains,
  pageOfBlockedContacts,
  pageOfBlockedDomains,
  unblockContact,
  unblockDomain,
} from './service.ts';

export const blocklistRoutes: FastifyPluginAsyncZod<Deps> = async (app) => {
  app.post('/blocklist/contacts', {
    config: { scope: 'blocklist:write' },
    schema: {
      operationId: 'blockContact',
      summary: 'Block a contact',
      tags: ['blocklist'],
      description:
        'Sends nothing more to this e-mail, or on any channel to the contact that has it. What the contact writes is stored, but starts no answer of the AI and no workflow, and reopens no session. An e-mail that is blocked already gets the new reason.',
      body: BlockContact,
      response: { 200: NoBody, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }) => {
      await blockContact(db, org.id, body);
      return NO_BODY;
    },
  });

  app.get('/blocklist/contacts', {
    config: { scope: 'blocklist:read' },
    schema: {
      operationId: 'listBlockedContacts',
      summary: 'List blocked contacts',
      description: 'Lists the blocked e-mails by numbered pages, the latest first, with the contact that has each.',
      tags: ['blocklist'],
      querystring: BlocklistQuery,
      response: { 200: BlockedContactPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfBlockedContacts(db, org.id, query),
  });

  app.delete('/blocklist/contacts/:id', {
    config: { scope: 'blocklist:write' },
    schema: {
      operationId: 'unblockContact',
      summary: 'Unblock a contact',
      description:
        'Messages to the address are sent again from now on, unless its domain is blocked. Those that were skipped are not sent afterwards.',
      tags: ['blocklist'],
      params: BlocklistPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await unblockContact(db, org.id, params.id);
      return NO_BODY;
    },
  });

  app.post('/blocklist/domains', {
    config: { scope: 'blocklist:write' },
    schema: {
      operationId: 'blockDomains',
      summary: 'Block domains',
      tags: ['blocklist'],
      description:
        'Blocks all e-mails of up to 1,000 domains and their subdomains, as POST /blocklist/contacts blocks one. `skipped` names those that were blocked already.',
      body: BlockDomains,
      response: { 200: BlockedDomains, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }) => blockDomains(db, org.id, body),
  });

  app.get('/blocklist/domains', {
    config: { scope: 'blocklist:read' },
    schema: {
      operationId: 'listBlockedDomains',
      summary: 'List blocked domains',
      description: 'Lists the blocked domains by numbered pages, the latest first.',
      tags: ['blocklist'],
      querystring: BlocklistQuery,
      response: { 200: BlockedDomainPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfBlockedDomains(db, org.id, query),
  });

  app.delete('/blocklist/domains/:id', {
    config: { scope: 'blocklist:write' },
    schema: {
      operationId: 'unblockDomain',
      summary: 'Unblock a domain',
      description:
        'Messages to the domain are sent again from now on, unless a parent domain or the e-mail is blocked. Those that were skipped are not sent afterwards.',
      tags: ['blocklist'],
      params: BlocklistPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await unblockDomain(db, org.id, params.id);
      return NO_BODY;
    },
  });
};
