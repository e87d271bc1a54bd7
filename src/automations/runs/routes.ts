import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { WorkflowPath } from '../schema.ts';
import { temporalUiFor } from './overview/temporal-links.ts';
import { ListRuns, RerunRun, RetryRun, Run, RunList, RunPath, StartedRun, StepPage } from './schema.ts';
import { cancelRun, getRun, pageOfRuns, rerunWorkflow, retryRun } from './service.ts';

const tags = ['workflows'];

/** Routes of workflow runs: past and present ones. */
export const runRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config, secrets }) => {
  app.get('/workflows/:id/runs', {
    config: { scope: 'workflows:read' },
    schema: {
      operationId: 'listWorkflowRuns',
      summary: 'List the runs of a workflow',
      tags,
      description: 'Lists the runs by numbered pages, newest first.',
      params: WorkflowPath,
      querystring: ListRuns,
      response: { 200: RunList, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params, query }) => pageOfRuns(db, org.id, params.id, query),
  });

  app.get('/workflows/:id/runs/:runId', {
    config: { scope: 'workflows:read' },
    schema: {
      operationId: 'getWorkflowRun',
      summary: 'Get a run',
      description: 'Returns the run with each step’s input, output, attempts, error and times.',
      tags,
      params: RunPath,
      querystring: StepPage,
      response: { 200: Run, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params, query }) =>
      getRun(db, org.id, {
        ...query,
        workflowId: params.id,
        runId: params.runId,
        temporalUi: temporalUiFor(org, config),
      }),
  });

  app.post('/workflows/:id/runs/:runId/cancel', {
    config: { scope: 'workflows:write' },
    schema: {
      operationId: 'cancelWorkflowRun',
      summary: 'Cancel a run',
      tags,
      description: 'Cancels a run that has not ended; any other is a 409. A step in progress is still completed.',
      params: RunPath,
      response: { 200: NoBody, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params }) => {
      await cancelRun(db, org.id, params.id, params.runId);
      return NO_BODY;
    },
  });

  app.post('/workflows/:id/runs/:runId/retry', {
    config: { scope: 'workflows:write' },
    schema: {
      operationId: 'retryWorkflowRun',
      summary: 'Retry a failed run',
      tags,
      description:
        'Continues a failed run from the failed step, with the outputs of the steps before it; any other run is a 409. An `input` has to be one that the step’s action accepts. Its waits do not see events between the failure and the retry.',
      params: RunPath,
      body: RetryRun,
      response: { 200: NoBody, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) => {
      await retryRun(db, secrets, org.id, { ...body, workflowId: params.id, runId: params.runId, by: org.keyId });
      return NO_BODY;
    },
  });

  app.post('/workflows/:id/runs/:runId/rerun', {
    config: { scope: 'workflows:write' },
    schema: {
      operationId: 'rerunWorkflow',
      summary: 'Run a workflow again',
      tags,
      description:
        'Starts a new run with the trigger output of this one, by the same version of the workflow or its active one. It starts also if the constraints do not hold or the workflow is inactive.',
      params: RunPath,
      body: RerunRun.nullish(),
      response: { 201: StartedRun, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, body }, reply) => {
      reply.code(201);
      const run = { version: 'latest' as const, ...body, workflowId: params.id, runId: params.runId };
      return { run_id: await rerunWorkflow(db, org.id, run) };
    },
  });
};
