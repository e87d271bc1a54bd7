import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { once } from '../api/edge/once.ts';
import { enforce } from '../api/edge/rate-limits.ts';
import { CreatedKey } from '../keys/schema.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import {
  CreatedOrg,
  CreateLoginLink,
  CreateOrg,
  CreateOrgKey,
  ExternalRef,
  LoginLink,
  OrgPage,
  OrgRef,
  PartnerOrg,
  PartnerOrgPage,
} from './schema.ts';
import {
  checkConnections,
  createOrgKey,
  getOrgNamed,
  issueLoginLink,
  listPartnerOrgs,
  provisionOrg,
} from './service.ts';

const PREFIX = '/partner/v1/orgs';
const tags = ['partner'];

export const partnerRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  const { config, rateLimits, tokens } = deps;

  app.post(
    PREFIX,
    once({
      config: { scope: 'partner' },
      schema: {
        operationId: 'createPartnerOrg',
        summary: 'Create an organization',
        description:
          'Creates an organization with its roles, its widget token and its integrations. It has no API key yet: POST /partner/v1/orgs/{orgId}/api-keys creates one. A used `external_id` is a 409, and credentials that an integration refuses are a 400.',
        tags,
        body: CreateOrg,
        response: { 201: CreatedOrg, ...errorResponses(403, 409) },
      },
      prepare: ({ db, partner, body }) => checkConnections(db, deps.fareHarbor, partner.id, body),
      act: async ({ db, partner, body }, { reply }) => {
        reply.code(201);
        return { answer: await provisionOrg(db, deps, partner.id, body) };
      },
    }),
  );

  app.get(PREFIX, {
    config: { scope: 'partner' },
    schema: {
      operationId: 'listPartnerOrgs',
      summary: 'List organizations',
      description: 'Lists the organizations of the partner, oldest first, from `offset` on.',
      tags,
      querystring: OrgPage,
      response: { 200: PartnerOrgPage, ...errorResponses(403) },
    },
    handler: ({ db, partner, query }) => listPartnerOrgs(db, partner.id, query),
  });

  app.get(`${PREFIX}/by-external-id/:externalId`, {
    config: { scope: 'partner' },
    schema: {
      operationId: 'getPartnerOrgByExternalId',
      summary: 'Get an organization by external id',
      description: 'Returns the partner’s organization with this `external_id`. Other partners may use the same one.',
      tags,
      params: ExternalRef,
      response: { 200: PartnerOrg, ...errorResponses(403, 404) },
    },
    handler: ({ db, partner, params }) => getOrgNamed(db, partner.id, params.externalId),
  });

  app.post(`${PREFIX}/:orgId/api-keys`, {
    config: { scope: 'partner' },
    schema: {
      operationId: 'createPartnerOrgKey',
      summary: 'Create a key for an organization',
      description:
        'Creates another API key, with full access to an organization of the partner. The answer is the only one that shows it. Any other organization is a 403.',
      tags,
      params: OrgRef,
      body: CreateOrgKey.nullable(),
      response: { 201: CreatedKey, ...errorResponses(403) },
    },
    handler: async ({ db, partner, params, body }, reply) => {
      reply.code(201);
      return createOrgKey(db, tokens, partner.id, { orgId: params.orgId, name: body?.name ?? 'Default' });
    },
  });

  app.post(
    `${PREFIX}/:orgId/login-links`,
    once({
      config: { scope: 'partner' },
      schema: {
        operationId: 'createPartnerLoginLink',
        summary: 'Create a login link',
        tags,
        description:
          'Creates a link for one sign-in within 15 minutes, and makes the person a member if it is none. A member keeps its name and roles. Links have a separate limit, in addition to the partner’s.',
        params: OrgRef,
        body: CreateLoginLink,
        response: { 201: LoginLink, ...errorResponses(403) },
      },
      prepare: ({ partner }, { reply }) => enforce(rateLimits, 'login-links', partner.id, reply),
      act: async ({ db, partner, params, body }, { reply }) => {
        reply.code(201);
        const link = { ...body, orgId: params.orgId };
        return { answer: await issueLoginLink(db, config.dashboardUrl, partner.id, link) };
      },
    }),
  );
};
