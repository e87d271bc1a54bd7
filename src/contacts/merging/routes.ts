import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { ContactPath } from '../schema.ts';
import { ContactMerge, MergeContact } from './schema.ts';
import { mergeContacts, previewMerge } from './service.ts';

export const contactMergeRoutes: FastifyPluginAsyncZod<Deps> = async (app, { contactMerges }) => {
  app.post('/contacts/:id/merge', {
    config: { scope: 'contacts:write', memberScope: 'redaction:write' },
    schema: {
      operationId: 'mergeContact',
      summary: 'Merge a contact into another one',
      tags: ['contacts'],
      description:
        'The contact keeps its values and gets those that it lacks, with all that the other one has. An opt-out or block of either holds for both. The other id is then a 404 `contact_merged`. There is no way back.',
      params: ContactPath,
      body: MergeContact,
      response: { 200: ContactMerge, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) => {
      const pair = { fromId: body.from_id.toLowerCase(), toId: params.id.toLowerCase() };
      return body.preview
        ? previewMerge(db, contactMerges, org.id, pair)
        : mergeContacts(db, contactMerges, org.id, pair);
    },
  });
};
