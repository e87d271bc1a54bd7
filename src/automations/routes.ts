import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { errorResponses } from '../http/errors.ts';
import { Id, NO_BODY, NoBody } from '../http/schemas.ts';
import {
  Activate,
  CreateWorkflow,
  Trigger,
  Triggered,
  UpdateWorkflow,
  Workflow,
  WorkflowList,
  WorkflowPath,
} from './schema.ts';
import {
  activateWorkflow,
  createWorkflow,
  deactivateWorkflow,
  deleteWorkflow,
  getWorkflow,
  listWorkflowVersions,
  pageOfWorkflows,
  toWorkflowAnswer,
  triggerWorkflow,
  updateWorkflow,
} from './service.ts';

const tags = ['workflows'];
const Page = z.object({ cursor: Id.optional(), limit: z.coerce.number().int().min(1).max(100).default(50) });

/** Routes of customers' workflows and their versions. */
export const workflowRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config, secrets }) => {
  const shown = (version: Parameters<typeof toWorkflowAnswer>[1]) => toWorkflowAnswer(config.PUBLIC_URL, version);

  app.post('/workflows', {
    config: { scope: 'workflows:write' },
    schema: {
      operationId: 'createWorkflow',
      tags,
      description: 'Creates a workflow, inactive at first. All problems with its steps are reported at once.',
      body: CreateWorkflow,
      response: { 201: Workflow, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return shown(await createWorkflow(db, secrets, org.id, body));
    },
  });

  app.get('/workflows', {
    config: { scope: 'workflows:read' },
    schema: {
      operationId: 'listWorkflows',
      tags,
      querystring: Page,
      response: { 200: WorkflowList, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => {
      const { items, next } = await pageOfWorkflows(db, org.id, { cursor: query.cursor, limit: query.limit });
      return { items: items.map(shown), next };
    },
  });

  app.get('/workflows/:id', {
    config: { scope: 'workflows:read' },
    schema: {
      operationId: 'getWorkflow',
      tags,
      description: 'The active version, else the latest.',
      params: WorkflowPath,
      response: { 200: Workflow, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => shown(await getWorkflow(db, org.id, params.id)),
  });

  app.patch('/workflows/:id', {
    config: { scope: 'workflows:write' },
    schema: {
      operationId: 'updateWorkflow',
      tags,
      description:
        'Creates a new version, inactive until POST /workflows/{id}/activate. Runs stay on the version that they started with.',
      params: WorkflowPath,
      body: UpdateWorkflow,
      response: { 200: Workflow, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, body }) =>
      shown(await updateWorkflow(db, secrets, org.id, { ...body, id: params.id })),
  });

  app.delete('/workflows/:id', {
    config: { scope: 'workflows:write' },
    schema: {
      operationId: 'deleteWorkflow',
      tags,
      description: 'Deletes the workflow with its versions and runs. Runs in progress end.',
      params: WorkflowPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await deleteWorkflow(db, org.id, params.id);
      return NO_BODY;
    },
  });

  app.get('/workflows/:id/versions', {
    config: { scope: 'workflows:read' },
    schema: {
      operationId: 'listWorkflowVersions',
      tags,
      description: 'The latest 100, newest first.',
      params: WorkflowPath,
      response: { 200: WorkflowList, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => ({
      items: (await listWorkflowVersions(db, org.id, params.id)).map(shown),
      next: null,
    }),
  });

  app.post('/workflows/:id/activate', {
    config: { scope: 'workflows:write', isRepeatable: true },
    schema: {
      operationId: 'activateWorkflow',
      tags,
      params: WorkflowPath,
      body: Activate,
      response: { 200: Workflow, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, body }) =>
      shown(await activateWorkflow(db, org.id, params.id, body.version_number)),
  });

  app.post('/workflows/:id/deactivate', {
    config: { scope: 'workflows:write', isRepeatable: true },
    schema: {
      operationId: 'deactivateWorkflow',
      tags,
      description: 'Its trigger starts no more runs. Runs in progress continue.',
      params: WorkflowPath,
      response: { 200: Workflow, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => shown(await deactivateWorkflow(db, org.id, params.id)),
  });

  app.post('/workflows/:id/trigger', {
    config: { scope: 'workflows:write' },
    schema: {
      operationId: 'triggerWorkflow',
      tags,
      description: 'Starts an active workflow whose trigger is manual-trigger.',
      params: WorkflowPath,
      body: Trigger,
      response: { 200: Triggered, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) => ({
      run_id: await triggerWorkflow(db, org.id, params.id, body.input ?? null),
    }),
  });
};
