import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { once } from '../api/edge/once.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../schemas/parts.ts';
import { cancelRun, getResult, getRun, pageOfRuns, startRun } from './runs.service.ts';
import {
  CASE_TEXTS,
  CasePage,
  CasePath,
  CreateCase,
  EvalCase,
  EvalResultWithTurn,
  EvalRun,
  EvalRunWithResults,
  ImportCases,
  ImportedCases,
  ListPage,
  ListRuns,
  ResultPath,
  RunPage,
  RunPath,
  StartRun,
  UpdateCase,
} from './schema.ts';
import { addCase, changeCase, getCase, importCases, pageOfCases, removeCase } from './service.ts';

const tags = ['autopilot'];
const read = { scope: 'autopilot:read' } as const;
const write = { scope: 'autopilot:write' } as const;

/** Routes of evals: cases, and runs of them. */
export const evalRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/autopilot/evals', {
    config: read,
    schema: {
      operationId: 'listEvalCases',
      tags,
      summary: 'List eval cases',
      description: 'Lists the cases of the organization, oldest first.',
      querystring: ListPage,
      response: { 200: CasePage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfCases(db, org.id, query),
  });

  app.post(
    '/autopilot/evals',
    once({
      config: write,
      schema: {
        operationId: 'createEvalCase',
        tags,
        summary: 'Add an eval case',
        description:
          'Adds a conversation, and what its next turn has to do. With `session_id`, the conversation is a session’s: its texts are copied, and go when the session is redacted. More than 500 cases are a 409.',
        body: CreateCase,
        response: { 201: EvalCase, ...errorResponses(403, 404, 409) },
      },
      act: async ({ db, org, body }, { reply }) => {
        reply.code(201);
        return { answer: await addCase(db, org.id, body) };
      },
      redact: CASE_TEXTS,
    }),
  );

  app.post('/autopilot/evals/import', {
    config: write,
    schema: {
      operationId: 'importEvalCases',
      tags,
      summary: 'Import eval cases',
      description: 'Adds the cases of a CSV file, all of them or none. Wrong rows are named (400).',
      body: ImportCases,
      response: { 201: ImportedCases, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return importCases(db, org.id, body.csv);
    },
  });

  app.get('/autopilot/evals/:id', {
    config: read,
    schema: {
      operationId: 'getEvalCase',
      tags,
      summary: 'Get an eval case',
      description: 'Returns a case with its checks.',
      params: CasePath,
      response: { 200: EvalCase, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getCase(db, org.id, params.id),
  });

  app.patch('/autopilot/evals/:id', {
    config: write,
    schema: {
      operationId: 'updateEvalCase',
      tags,
      summary: 'Change an eval case',
      description: 'Absent fields keep their values. Runs in progress use the case as it was.',
      params: CasePath,
      body: UpdateCase,
      response: { 200: EvalCase, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, body }) => changeCase(db, org.id, params.id, body),
  });

  app.delete('/autopilot/evals/:id', {
    config: write,
    schema: {
      operationId: 'deleteEvalCase',
      tags,
      summary: 'Delete an eval case',
      description: 'Deletes the case. Its results in runs stay.',
      params: CasePath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeCase(db, org.id, params.id);
      return NO_BODY;
    },
  });

  app.get('/autopilot/evals/runs', {
    config: read,
    schema: {
      operationId: 'listEvalRuns',
      tags,
      summary: 'List eval runs',
      description: 'Lists the runs of the last 90 days.',
      querystring: ListRuns,
      response: { 200: RunPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfRuns(db, org.id, query),
  });

  app.post('/autopilot/evals/runs', {
    config: write,
    schema: {
      operationId: 'startEvalRun',
      tags,
      summary: 'Start an eval run',
      description:
        'Runs all cases as they are now, over the draft of the settings or over what is published. Models are asked, within the budgets; the usage has them as `eval`, and no action is called. While another run is in progress, or without cases, it is a 409.',
      body: StartRun,
      response: { 201: EvalRun, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return startRun(db, org.id, body.settings);
    },
  });

  app.get('/autopilot/evals/runs/:id', {
    config: read,
    schema: {
      operationId: 'getEvalRun',
      tags,
      summary: 'Get an eval run',
      description: 'Returns the run with the results of its cases so far. It is kept for 90 days.',
      params: RunPath,
      response: { 200: EvalRunWithResults, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getRun(db, org.id, params.id),
  });

  app.get('/autopilot/evals/runs/:id/cases/:caseId', {
    config: read,
    schema: {
      operationId: 'getEvalResult',
      tags,
      summary: 'Get the result of a case',
      description: 'Returns the result of a case in a run, with what the turn did.',
      params: ResultPath,
      response: { 200: EvalResultWithTurn, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getResult(db, org.id, params.id, params.caseId),
  });

  app.post('/autopilot/evals/runs/:id/cancel', {
    config: write,
    schema: {
      operationId: 'cancelEvalRun',
      tags,
      summary: 'Cancel an eval run',
      description:
        'Ends a run that is in progress; any other is a 409. Cases under way end, no further one begins, and results so far stay.',
      params: RunPath,
      response: { 200: EvalRun, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params }) => cancelRun(db, org.id, params.id),
  });
};
