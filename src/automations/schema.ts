import { z } from 'zod';
import { Cursor, Id, Name, Timestamp } from '../schemas/parts.ts';
import { AnyJson, type Step, TriggerType } from './blocks/schema.ts';
import { hasAtMostValues } from './json.rules.ts';

const MAX_CHARACTERS = 500_000;
/** Many small values take far more time and memory than a few long ones. */
const MAX_VALUES = 20_000;

const Blocks = z.array(z.record(z.string(), z.unknown())).meta({
  description: 'Steps: see GET /workflows/definitions. POST /workflows/validate names every problem with its step.',
});
/** Returns a schema with as many values and characters as fit into a version of a workflow. */
export const bounded = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .refine((value) => hasAtMostValues(value, MAX_VALUES), {
      error: `must have at most ${MAX_VALUES} values`,
      abort: true,
    })
    .refine(
      (value) => JSON.stringify(value)?.length <= MAX_CHARACTERS,
      `must have at most ${MAX_CHARACTERS} characters`,
    );

const shape = {
  name: Name,
  description: z.string().max(10_000).nullable(),
  trigger_type: TriggerType,
  trigger_configuration: bounded(AnyJson).nullable(),
  trigger_constraints: bounded(AnyJson).nullable().describe('JSON Logic over trigger.output, which must hold.'),
  workflow_blocks: bounded(Blocks),
  workflow_editor_state: bounded(AnyJson).nullable(),
};

const EXAMPLE = {
  name: 'Tag what is refunded',
  trigger_type: 'ticket-created' as const,
  trigger_constraints: { in: ['@example.com', { var: 'contact.email' }] },
  workflow_blocks: [
    {
      $kind: 'Action',
      id: 'note',
      type: 'add-note',
      name: 'Note',
      input: { session_id: '{{trigger.output.session.id}}', text: 'From a partner' },
    },
  ],
};

export const CreateWorkflow = z
  .object({
    ...shape,
    description: shape.description.optional(),
    trigger_configuration: shape.trigger_configuration.optional(),
    trigger_constraints: shape.trigger_constraints.optional(),
    workflow_editor_state: shape.workflow_editor_state.optional(),
  })
  .meta({ id: 'CreateWorkflow', examples: [EXAMPLE] });
export type CreateWorkflow = z.infer<typeof CreateWorkflow>;

/** Absent fields are as in the latest version. */
export const UpdateWorkflow = z
  .object(shape)
  .partial()
  .meta({ id: 'UpdateWorkflow', examples: [{ name: 'Tag what is refunded at once' }] });
export type UpdateWorkflow = z.infer<typeof UpdateWorkflow>;

/** An entity tag or the number itself. */
const SEEN_VERSION = /^(?:\*|"?[1-9][0-9]{0,9}"?)$/;

export const IfMatch = z.looseObject({
  'if-match': z
    .string()
    .regex(SEEN_VERSION, 'must be the version_number of the latest version, or *')
    .optional()
    .describe('The `version_number` of the latest version as it was seen: 412 if it has changed since.'),
});

export const WorkflowPath = z.object({ id: Id.describe('The workflow_id.') });

export const Workflow = z
  .object({
    id: z.int().describe('Of the version.'),
    workflow_id: Id,
    name: z.string(),
    description: z.string().nullable(),
    is_active: z.boolean().describe('Whether its trigger starts this version.'),
    trigger_type: TriggerType,
    version_number: z.int(),
    workflow_blocks: z.custom<Step[]>(() => true).meta({ description: 'The steps.' }),
    trigger_configuration: AnyJson.nullable(),
    trigger_constraints: AnyJson.nullable(),
    workflow_editor_state: AnyJson.nullable(),
    webhook_url: z
      .string()
      .nullable()
      .describe('Of a webhook or form trigger: where to post to. Shown to keys that may change workflows.'),
    constraint_errors: z.int().describe('Number of failed evaluations of its constraints.'),
    last_constraint_error: z.string().nullable(),
    schedule_error: z
      .string()
      .nullable()
      .describe('Of an active cron trigger: why it does not fire, such as the reason for which Temporal refused it.'),
    warnings: z.array(z.string()).describe('What of it has no effect, or fails in a run, and why.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Workflow' });

export const VersionPage = z.object({
  cursor: Cursor.pipe(z.coerce.number<string>().int().min(1).max(2_147_483_647)).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});

export const WorkflowList = z.object({ items: z.array(Workflow), next: z.string().nullable() });

export const Activate = z
  .object({ version_number: z.int().min(1).optional().describe('The latest when absent.') })
  .meta({ id: 'ActivateWorkflow', examples: [{ version_number: 1 }] });

export const Trigger = z
  .object({ input: bounded(AnyJson).optional().describe('Available to steps as trigger.output.input.') })
  .meta({ id: 'TriggerWorkflow', examples: [{ input: { order: '17' } }] });

export const Triggered = z.object({ run_id: Id.nullable().describe('null: its constraints do not hold.') });
