import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { missingScope } from '../../errors.ts';
import type { OrgPrincipal } from '../../keys/verifier.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { hasScope } from '../../schemas/scopes.ts';
import { selectSessions } from '../inbox/service.ts';
import { sessionsThatMeet } from '../search/filter.service.ts';
import { type BulkAction, BulkResults, ChangeSessions, JobPath, SessionJob, StartedJob } from './schema.ts';
import { changeSessions, getJob, startJob } from './service.ts';

const tags = ['chat sessions'];

/** Routes for changes of many sessions. */
export const bulkRoutes: FastifyPluginAsyncZod<Deps> = async (app, { otherJobs }) => {
  app.post('/chat/sessions/bulk', {
    config: { scope: 'chat-sessions:write' },
    schema: {
      operationId: 'changeChatSessions',
      tags,
      summary: 'Change many sessions',
      description:
        'Applies one action to many sessions, once to each. With `ids` it does so at once: a session that refuses it has an `error`, and the others are changed. With `query` or `inbox`, the answer is 202 and a job (GET /jobs/{id}) for the sessions that meet the filters now, at most 50,000; an API key needs `tags:write` for tags.',
      body: ChangeSessions,
      response: { 200: BulkResults, 202: StartedJob, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, body: { ids, query = {}, inbox, action } }, reply) => {
      assertMayTag(org, action);
      const change = { action, userId: org.member?.id ?? null };
      if (ids !== undefined) return { results: await changeSessions(db, org.id, ids, change) };
      const found = inbox === undefined ? sessionsThatMeet(org.id, query) : await selectSessions(db, org, inbox);
      reply.code(202);
      return startJob(db, org.id, found, change);
    },
  });

  app.get('/jobs/:id', {
    config: { scope: 'any' },
    schema: {
      operationId: 'getSessionJob',
      tags,
      summary: 'Get a job',
      description:
        'Returns a job of POST /chat/sessions/bulk, /deliveries/bulk or /runs/bulk with its progress, if the key may read what it is about. It is kept for 30 days after its end.',
      params: JobPath,
      response: { 200: SessionJob, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params }) => getJob(db, org, params.id, otherJobs),
  });
};

/** Tags have a separate scope for API keys, as in POST /chat/sessions/{id}/tags. */
function assertMayTag(org: OrgPrincipal, { type }: BulkAction): void {
  const isAboutTags = type === 'add_tags' || type === 'remove_tag';
  if (isAboutTags && org.member === undefined && !hasScope(org, 'tags:write')) throw missingScope('tags:write');
}
