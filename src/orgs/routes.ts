import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../deps.ts';
import { errorResponses } from '../http/errors.ts';
import { getOrg, updateOrg } from './queries.ts';
import { Org, UpdateOrg } from './schema.ts';
import { readSettings } from './service.ts';
import { updateSettings } from './settings/action-overrides.service.ts';
import { OrgSettings, UpdateSettings } from './settings/schema.ts';

export const orgRoutes: FastifyPluginAsyncZod<Deps> = async (app, { secrets }) => {
  app.get('/org', {
    config: { scope: 'org:read' },
    schema: {
      operationId: 'getOrganization',
      tags: ['organization'],
      response: { 200: Org, ...errorResponses(403) },
    },
    handler: ({ db, org }) => getOrg(db, org.id),
  });

  app.patch('/org', {
    config: { scope: 'org:write' },
    schema: {
      operationId: 'updateOrganization',
      tags: ['organization'],
      body: UpdateOrg,
      response: { 200: Org, ...errorResponses(403) },
    },
    handler: ({ db, org, body }) => updateOrg(db, org.id, body),
  });

  app.get('/org/settings', {
    config: { scope: 'org:read' },
    schema: {
      operationId: 'getOrganizationSettings',
      tags: ['organization'],
      response: { 200: OrgSettings, ...errorResponses(403) },
    },
    handler: ({ db, org }) => readSettings(db, org.id),
  });

  app.patch('/org/settings', {
    config: { scope: 'org:write' },
    schema: {
      operationId: 'updateOrganizationSettings',
      tags: ['organization'],
      body: UpdateSettings,
      response: { 200: OrgSettings, ...errorResponses(403) },
    },
    handler: ({ db, org, body }) => updateSettings(db, secrets, org.id, body),
  });
};
