import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import type { Db } from '../db/connect.ts';
import type { MediaLinks } from '../media/links.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { shownBrand, storedBrand } from './brand/service.ts';
import { getOrg, updateOrg } from './queries.ts';
import { Org, UpdateOrg } from './schema.ts';
import { readSettings } from './service.ts';
import { updateSettings } from './settings/action-overrides.service.ts';
import { readWarnings } from './settings/handoff-target.service.ts';
import { type OrgSettings, OrgSettingsAnswer, UpdateSettings } from './settings/schema.ts';

export const orgRoutes: FastifyPluginAsyncZod<Deps> = async (app, { secrets, mediaLinks }) => {
  app.get('/org', {
    config: { scope: 'org:read' },
    schema: {
      operationId: 'getOrganization',
      summary: 'Get the organization',
      description: 'Returns the name, language, website and AI instructions of the caller’s organization.',
      tags: ['organization'],
      response: { 200: Org, ...errorResponses(403) },
    },
    handler: ({ db, org }) => getOrg(db, org.id),
  });

  app.patch('/org', {
    config: { scope: 'org:write' },
    schema: {
      operationId: 'updateOrganization',
      summary: 'Update the organization',
      description: 'Absent fields keep their values. With `ai_instructions: null`, those of the partner apply.',
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
      summary: 'Get the settings of the organization',
      description: 'Returns all settings of the organization. null means that a setting is off or has its default.',
      tags: ['organization'],
      response: { 200: OrgSettingsAnswer, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => shownSettings(db, mediaLinks, org.id, await readSettings(db, org.id)),
  });

  app.patch('/org/settings', {
    config: { scope: 'org:write' },
    schema: {
      operationId: 'updateOrganizationSettings',
      summary: 'Update the settings of the organization',
      description:
        'Absent fields keep their values, null resets one. `warnings` names settings that take effect only with something else.',
      tags: ['organization'],
      body: UpdateSettings,
      response: { 200: OrgSettingsAnswer, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }) => {
      const { brand, ...others } = body;
      const changes = brand ? { ...others, brand: await storedBrand(db, mediaLinks, org.id, brand) } : body;
      return shownSettings(db, mediaLinks, org.id, await updateSettings(db, secrets, org.id, changes));
    },
  });
};

const shownSettings = async (db: Db, links: MediaLinks, orgId: string, settings: OrgSettings) => ({
  ...settings,
  brand: settings.brand && (await shownBrand(db, links, orgId, settings.brand)),
  warnings: await readWarnings(db, orgId, settings),
});
