import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { CustomDomain, CustomDomainPage, DomainPath, ListDomains, PutCustomDomain } from './schema.ts';
import { deleteSendingDomain, pageOfDomains, putDomain, verifyDomain } from './service.ts';

const tags = ['email'];

export const domainRoutes: FastifyPluginAsyncZod<Deps> = async (app, { secrets, dns }) => {
  app.put('/email/domains', {
    config: { scope: 'email:write' },
    schema: {
      operationId: 'putCustomDomain',
      summary: 'Add a domain to send from',
      tags,
      description:
        'Adds a domain and returns the DNS records that it needs. A domain that is there stays as it is. More than 100 are a 409.',
      body: PutCustomDomain,
      response: { 200: CustomDomain, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }) => putDomain(db, secrets, org.id, body.domainName),
  });

  app.get('/email/domains', {
    config: { scope: 'email:read' },
    schema: {
      operationId: 'listCustomDomains',
      summary: 'List domains to send from',
      description: 'Lists the domains in the order of creation, with the DNS records of each and their status.',
      tags,
      querystring: ListDomains,
      response: { 200: CustomDomainPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfDomains(db, org.id, query),
  });

  app.patch('/email/domains/:domainName', {
    config: { scope: 'email:write' },
    schema: {
      operationId: 'verifyCustomDomain',
      summary: 'Verify a domain',
      tags,
      description:
        'Checks the records in DNS now. A 503 means that DNS gave no answer: every status stays the same. DNS may show a change only after the TTL of the previous record.',
      params: DomainPath,
      response: { 200: CustomDomain, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => verifyDomain(db, dns, org.id, params.domainName),
  });

  app.delete('/email/domains/:domainName', {
    config: { scope: 'email:write' },
    schema: {
      operationId: 'deleteCustomDomain',
      summary: 'Delete a domain',
      tags,
      description:
        'Deletes the domain and its key: e-mail from it is no longer accepted or signed. Adding it again creates a new key with its own record.',
      params: DomainPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await deleteSendingDomain(db, org.id, params.domainName);
      return NO_BODY;
    },
  });
};
