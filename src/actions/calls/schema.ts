import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';
import { MAX_PARAMETER_NAME_LENGTH } from '../definitions/schema.ts';

const MAX_PARAMETERS_CHARACTERS = 64 * 1024;

const Values = z.record(z.string().min(1).max(MAX_PARAMETER_NAME_LENGTH), z.unknown());

/** The values of an action's parameters, grouped by the same names as overrides. */
export const ActionParameters = z
  .strictObject({
    path_params: Values.optional(),
    query_params: Values.optional(),
    headers: Values.optional(),
    cookies: Values.optional(),
    body_params: z.unknown().optional().describe('The body.'),
  })
  .refine((parameters) => JSON.stringify(parameters).length <= MAX_PARAMETERS_CHARACTERS, {
    error: `must have at most ${MAX_PARAMETERS_CHARACTERS} characters as JSON`,
  });
export type ActionParameters = z.infer<typeof ActionParameters>;

export const TestAction = z
  .object({
    parameters: ActionParameters.prefault({}),
    contact_id: Id.optional().describe('Whose http_action_overrides apply, before those of the org.'),
  })
  .meta({ id: 'TestAction', examples: [{ parameters: { query_params: { email: 'ada@example.com' } } }, {}] });
export type TestAction = z.infer<typeof TestAction>;

export const TestedAction = z
  .object({
    status: z.int(),
    headers: z.record(z.string(), z.string()),
    body: z.unknown().describe('Parsed where it is JSON, else text, cut behind 64 KB.'),
    duration_ms: z.int(),
  })
  .meta({ id: 'TestedAction' });
