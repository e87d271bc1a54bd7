import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../../api/deps.ts';
import { errorResponses } from '../../../schemas/error-answers.ts';
import { Run, StepPage } from '../schema.ts';
import { getRun } from '../service.ts';
import { createRunStreams, getProgress } from './run-streams.service.ts';
import { AnyRunPath, CountRuns, ListAllRuns, RunEvents, RunPage, RunStats } from './schema.ts';
import { pageOfAllRuns, statsOfRuns } from './service.ts';
import { temporalUiFor } from './temporal-links.ts';

const tags = ['workflows'];
const config = { scope: 'workflows:read' } as const;

/** Routes of runs over all workflows. */
export const runOverviewRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  const streams = createRunStreams(deps.db, (error) =>
    app.log.warn({ err: error }, 'the progress of runs could not be read'),
  );
  app.addHook('onClose', async () => streams.close());

  app.get('/runs', {
    config,
    schema: {
      operationId: 'listRuns',
      summary: 'List the runs of all workflows',
      tags,
      description: 'Lists runs, newest first, with the step that each is at. All filters have to be met.',
      querystring: ListAllRuns,
      response: { 200: RunPage, ...errorResponses(403) },
    },
    handler: ({ db, org, query }) => pageOfAllRuns(db, org.id, query),
  });

  app.get('/runs/stats', {
    config,
    schema: {
      operationId: 'countRuns',
      summary: 'Count runs over time',
      tags,
      description: 'Counts runs by their present status, in periods of equal length by their creation.',
      querystring: CountRuns,
      response: { 200: RunStats, ...errorResponses(403) },
    },
    handler: ({ db, org, query }) => statsOfRuns(db, org.id, query),
  });

  app.get('/runs/:runId', {
    config,
    schema: {
      operationId: 'getRun',
      summary: 'Get a run of any workflow',
      tags,
      description: 'Returns the run as GET /workflows/{id}/runs/{runId} does.',
      params: AnyRunPath,
      querystring: StepPage,
      response: { 200: Run, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params, query }) =>
      getRun(db, org.id, { ...query, ...params, temporalUi: temporalUiFor(org, deps.config) }),
  });

  app.get('/runs/:runId/events', {
    config: { ...config, isStreaming: true },
    schema: {
      operationId: 'streamRun',
      summary: 'Stream a run',
      tags,
      description: 'Sends the run as it is now, and whenever it or a step has changed. The stream ends with the run.',
      params: AnyRunPath,
      response: { 200: RunEvents, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params: { runId } }, reply) => {
      const run = await getProgress(db, { orgId: org.id, runId });
      return reply.streamEvents((sink) => streams.follow(run, sink));
    },
  });
};
