import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../../api/deps.ts';
import { BulkResults, StartedJob } from '../../../conversations/bulk/schema.ts';
import { errorResponses } from '../../../schemas/error-answers.ts';
import { selectRuns } from '../overview/service.ts';
import { ChangeRuns } from './schema.ts';
import { changeRuns, startRunJob } from './service.ts';

/** Routes that change many runs. */
export const bulkRunRoutes: FastifyPluginAsyncZod<Deps> = async (app, { secrets }) => {
  app.post('/runs/bulk', {
    config: { scope: 'workflows:write' },
    schema: {
      operationId: 'changeRuns',
      tags: ['workflows'],
      summary: 'Change many runs',
      description:
        'Retries, cancels or reruns many runs, each once. With `ids` it does so at once: a run that refuses it has an `error`. With `query`, the answer is 202 and a job (GET /jobs/{id}) for the runs that meet it now, at most 50,000.',
      body: ChangeRuns,
      response: { 200: BulkResults, 202: StartedJob, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body: { ids, query = {}, action } }, reply) => {
      const change = { action, callerId: org.keyId };
      if (ids !== undefined) return { results: await changeRuns({ db, secrets }, org.id, ids, change) };
      const found = await selectRuns(db, org.id, query);
      reply.code(202);
      return startRunJob(db, org.id, found, { ...change, userId: org.member?.id ?? null });
    },
  });
};
