import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../schemas/error-answers.ts';
import { Definitions, ValidatedWorkflow, ValidateWorkflow } from './definitions.schema.ts';
import { createDefinitions } from './definitions.ts';
import { validateDefinition } from './validation/definition.ts';

const tags = ['workflows'];

/** Routes for editors of customers' workflows. */
export const definitionRoutes: FastifyPluginAsyncZod = async (app) => {
  let definitions: ReturnType<typeof createDefinitions> | undefined;

  app.get('/workflows/definitions', {
    config: { scope: 'workflows:read' },
    schema: {
      operationId: 'getWorkflowDefinitions',
      summary: 'List triggers, actions, blocks and operators',
      tags,
      description: 'Returns every trigger, action, block and operator, with JSON Schemas of their inputs and outputs.',
      response: { 200: Definitions, ...errorResponses(403) },
    },
    handler: async () => (definitions ??= createDefinitions()),
  });

  app.post('/workflows/validate', {
    config: { scope: 'workflows:read' },
    schema: {
      operationId: 'validateWorkflow',
      summary: 'Validate a workflow',
      tags,
      description: 'Returns whether a workflow can run, and every problem with its step. It stores nothing.',
      body: ValidateWorkflow,
      response: { 200: ValidatedWorkflow, ...errorResponses(403) },
    },
    handler: async ({ body }) => {
      const { issues, action_types_used } = validateDefinition(body);
      return { valid: issues.length === 0, issues, action_types_used };
    },
  });
};
