import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../api/deps.ts';
import { elementAt } from '../collections/checked-access.ts';
import type { Db } from '../db/connect.ts';
import type { OrgPrincipal } from '../keys/verifier.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { Cursor, Id, NO_BODY, NoBody } from '../schemas/parts.ts';
import { hasScope } from '../schemas/scopes.ts';
import type { VersionRow } from './queries.ts';
import {
  Activate,
  CreateWorkflow,
  IfMatch,
  Trigger,
  Triggered,
  UpdateWorkflow,
  VersionPage,
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
  pageOfVersions,
  pageOfWorkflows,
  toWorkflowAnswers,
  triggerWorkflow,
  updateWorkflow,
} from './service.ts';

const tags = ['workflows'];
const Page = z.object({
  cursor: Cursor.pipe(Id).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});

/** Routes of customers' workflows and their versions. */
export const workflowRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config, secrets }) => {
  /** Who may only read gets no address to start the workflow by. */
  const showAll = async (db: Db, org: OrgPrincipal, versions: VersionRow[]) => {
    const answers = await toWorkflowAnswers(db, config.PUBLIC_URL, org.id, versions);
    return hasScope(org, 'workflows:write') ? answers : answers.map((answer) => ({ ...answer, webhook_url: null }));
  };
  const show = async (db: Db, org: OrgPrincipal, version: VersionRow) =>
    elementAt(await showAll(db, org, [version]), 0);

  app.post('/workflows', {
    config: { scope: 'workflows:write' },
    schema: {
      operationId: 'createWorkflow',
      summary: 'Create a workflow',
      tags,
      description: 'Creates a workflow, inactive at first. All problems with its steps are reported at once.',
      body: CreateWorkflow,
      response: { 201: Workflow, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return show(db, org, await createWorkflow(db, secrets, org.id, body));
    },
  });

  app.get('/workflows', {
    config: { scope: 'workflows:read' },
    schema: {
      operationId: 'listWorkflows',
      summary: 'List workflows',
      description: 'Lists each workflow once, oldest first: its active version, or else its latest.',
      tags,
      querystring: Page,
      response: { 200: WorkflowList, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => {
      const { items, next } = await pageOfWorkflows(db, org.id, { cursor: query.cursor, limit: query.limit });
      return { items: await showAll(db, org, items), next };
    },
  });

  app.get('/workflows/:id', {
    config: { scope: 'workflows:read' },
    schema: {
      operationId: 'getWorkflow',
      summary: 'Get a workflow',
      tags,
      description: 'Returns the active version, or else the latest. Secrets are shown as `***`.',
      params: WorkflowPath,
      response: { 200: Workflow, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => show(db, org, await getWorkflow(db, org.id, params.id)),
  });

  app.patch('/workflows/:id', {
    config: { scope: 'workflows:write' },
    schema: {
      operationId: 'updateWorkflow',
      summary: 'Update a workflow',
      tags,
      description:
        'Creates a new version of the given fields and the latest version, inactive until POST /workflows/{id}/activate. Runs stay on the version that they started with, and the active version stays active. With If-Match, only if no other version was saved since (412).',
      params: WorkflowPath,
      headers: IfMatch,
      body: UpdateWorkflow,
      response: { 200: Workflow, ...errorResponses(403, 404, 412) },
    },
    handler: async ({ db, org, params, headers, body }) => {
      const changes = { ...body, id: params.id, ifMatch: headers['if-match'] };
      return show(db, org, await updateWorkflow(db, secrets, org.id, changes));
    },
  });

  app.delete('/workflows/:id', {
    config: { scope: 'workflows:write' },
    schema: {
      operationId: 'deleteWorkflow',
      summary: 'Delete a workflow',
      tags,
      description:
        'Deletes the workflow with its versions and runs. Runs in progress end, and more than 1,000 runs leave the reports some minutes later.',
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
      summary: 'List the versions of a workflow',
      tags,
      description: 'Lists the versions, newest first.',
      params: WorkflowPath,
      querystring: VersionPage,
      response: { 200: WorkflowList, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, query }) => {
      const { items, next } = await pageOfVersions(db, org.id, params.id, { before: query.cursor, limit: query.limit });
      return { items: await showAll(db, org, items), next };
    },
  });

  app.post('/workflows/:id/activate', {
    config: { scope: 'workflows:write' },
    schema: {
      operationId: 'activateWorkflow',
      summary: 'Activate a workflow',
      description:
        'Lets the trigger start runs of the given version from now on, or of the latest; one that was active before no longer starts any. At most 100 workflows with the same trigger can be active (409).',
      tags,
      params: WorkflowPath,
      body: Activate,
      response: { 200: Workflow, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, body }) =>
      show(db, org, await activateWorkflow(db, org.id, params.id, body.version_number)),
  });

  app.post('/workflows/:id/deactivate', {
    config: { scope: 'workflows:write' },
    schema: {
      operationId: 'deactivateWorkflow',
      summary: 'Deactivate a workflow',
      tags,
      description: 'Lets the trigger start no more runs. Runs in progress continue.',
      params: WorkflowPath,
      response: { 200: Workflow, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => show(db, org, await deactivateWorkflow(db, org.id, params.id)),
  });

  app.post('/workflows/:id/trigger', {
    config: { scope: 'workflows:write' },
    schema: {
      operationId: 'triggerWorkflow',
      summary: 'Start a workflow by hand',
      tags,
      description:
        'Starts an active workflow whose trigger is `manual-trigger`; any other is a 409. `run_id` is null if its constraints do not hold.',
      params: WorkflowPath,
      body: Trigger,
      response: { 200: Triggered, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) => ({
      run_id: await triggerWorkflow(db, org.id, params.id, body.input ?? null),
    }),
  });
};
