import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { AuditPage, ListAudit } from './schema.ts';
import { pageOfAudit } from './service.ts';

export const auditRoutes: FastifyPluginAsyncZod<Deps> = async (app) => {
  app.get('/audit', {
    config: { scope: 'audit:read' },
    schema: {
      operationId: 'listAudit',
      tags: ['organization'],
      summary: 'See who changed what',
      description:
        'Lists sign-ins, redactions, exports and changes of settings, newest first. For admins, and keys with the scope. `AUDIT_RETENTION_DAYS` says how long entries are kept.',
      querystring: ListAudit,
      response: { 200: AuditPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfAudit(db, org.id, query),
  });
};
