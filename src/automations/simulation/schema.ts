import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';
import { AnyJson, TriggerType } from '../blocks/schema.ts';

const MAX_CHARACTERS = 500_000;

export const SimulateWorkflow = z
  .object({
    workflow_id: Id.optional().describe('A stored workflow, in its active version, else its latest.'),
    trigger_type: TriggerType.optional().describe('Of a draft.'),
    workflow_blocks: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .describe('Of a draft, or in place of the stored ones.'),
    trigger_configuration: AnyJson.nullable().optional(),
    trigger_constraints: AnyJson.nullable().optional(),
    trigger_output: z.record(z.string(), AnyJson).optional().describe('Available to steps as trigger.output.'),
    event_id: z
      .string()
      .max(500)
      .optional()
      .describe('Event id of a past run of the workflow. Uses the trigger output of this run.'),
    outputs: z
      .record(z.string(), AnyJson)
      .default({})
      .describe('Outputs of steps, by step id. That of an action not named here is null.'),
  })
  .refine((value) => JSON.stringify(value).length <= MAX_CHARACTERS, `must have at most ${MAX_CHARACTERS} characters`)
  .meta({
    id: 'SimulateWorkflow',
    examples: [
      {
        trigger_type: 'manual-trigger',
        workflow_blocks: [{ $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 525_600 } }],
      },
    ],
  });
export type SimulateWorkflow = z.infer<typeof SimulateWorkflow>;

export const SimulationAnswer = z
  .object({
    status: z.enum(['completed', 'failed', 'not_started']),
    constraint_held: z.boolean(),
    steps: z.array(
      z.object({
        id: z.string(),
        type: z.string(),
        started_at: z.string(),
        ended_at: z.string(),
        input: AnyJson.nullable(),
        output: AnyJson.nullable(),
        stubbed: z.boolean().describe('It would have an effect, or an event was given.'),
        note: z.string().nullable().describe('Says that `outputs` lacks this action. Its output is null then.'),
      }),
    ),
    ended_at: z.string().describe('In simulated time.'),
    error: z.string().nullable(),
  })
  .meta({ id: 'WorkflowSimulation' });
