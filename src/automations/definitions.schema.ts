import { z } from 'zod';
import { OPERATORS, TriggerType } from './blocks/schema.ts';

const JsonSchema = z.record(z.string(), z.unknown()).describe('JSON Schema.');

export const Definitions = z
  .object({
    actions: z.array(
      z.object({
        type: z.string(),
        title: z.string(),
        description: z.string(),
        input: JsonSchema.describe('JSON Schema of input. A string with a reference may replace any value.'),
        output: JsonSchema,
      }),
    ),
    blocks: z.array(
      z.object({
        type: z.string(),
        title: z.string(),
        description: z.string(),
        schema: JsonSchema.describe('Of the whole step.'),
        output: JsonSchema,
      }),
    ),
    action_step: JsonSchema.describe('Of every action step.'),
    operators: z.array(z.enum(OPERATORS)),
    triggers: z.array(
      z.object({
        type: TriggerType,
        title: z.string(),
        output: JsonSchema.describe('JSON Schema of trigger.output.'),
        configuration: JsonSchema.nullable().describe('JSON Schema of trigger_configuration. null: it has none.'),
        is_configuration_required: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'WorkflowDefinitions' });

const Anything = z.unknown();

export const ValidateWorkflow = z
  .object({
    trigger_type: Anything.describe('A WorkflowTriggerType.'),
    workflow_blocks: Anything.describe('Steps: see GET /workflows/definitions.'),
    trigger_configuration: Anything.optional(),
    trigger_constraints: Anything.optional().describe('JSON Logic over trigger.output.'),
  })
  .meta({
    id: 'ValidateWorkflow',
    examples: [
      {
        trigger_type: 'ticket-created',
        workflow_blocks: [
          {
            $kind: 'Action',
            id: 'note',
            type: 'add-note',
            name: 'Note',
            input: { session_id: '{{trigger.output.session.id}}', text: 'New' },
          },
        ],
      },
    ],
  });

export const ValidatedWorkflow = z
  .object({
    valid: z.boolean(),
    issues: z.array(
      z.object({
        step_id: z.string().nullable().describe('null: of the workflow, or of a step without an id.'),
        message: z.string(),
      }),
    ),
    action_types_used: z.array(z.string()),
  })
  .meta({ id: 'ValidatedWorkflow' });
