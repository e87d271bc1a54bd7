import { z } from 'zod';
import { Cursor, Id, Timestamp } from '../../schemas/parts.ts';
import { AnyJson } from '../blocks/schema.ts';

const RunStatus = z.enum(['idle', 'in_progress', 'completed', 'failed', 'canceled']);
const TriggerCause = z.enum(['manual', 'automatic', 'scheduled']);

export const StepPage = z.object({ cursor: Cursor.optional() });

export const RunPath = z.object({ id: Id.describe('The workflow_id.'), runId: Id });

export const ListRuns = z.object({
  page: z.coerce.number().int().min(1).max(10_000).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(25),
  status: RunStatus.optional(),
  trigger_cause: TriggerCause.optional(),
});
export type ListRuns = z.infer<typeof ListRuns>;

const shape = {
  id: Id,
  workflow_id: Id,
  version_number: z.int(),
  status: RunStatus.describe('idle: the run is queued.'),
  trigger_cause: TriggerCause,
  duration_in_seconds: z.number().nullable(),
  run_started_at: Timestamp.nullable(),
  run_ended_at: Timestamp.nullable(),
  is_test_run: z.boolean(),
  error: z.string().nullable(),
  created_at: Timestamp,
};

export const RunSummary = z.object(shape).meta({ id: 'WorkflowRunSummary' });

export const RunList = z.object({
  runs: z.array(RunSummary),
  total_items: z.int(),
  total_pages: z.int(),
  has_next_page: z.boolean(),
  current_page: z.int(),
});

const RunStep = z
  .object({
    path: z
      .string()
      .describe('Path in the run: 3.do.5.1 is the second step of the sixth iteration of the fourth step.'),
    id: z.string(),
    type: z.string(),
    name: z.string().nullable(),
    status: z.enum(['in_progress', 'waiting', 'completed', 'failed', 'skipped']),
    input: AnyJson.nullable(),
    output: AnyJson.nullable(),
    error: z.string().nullable(),
    attempts: z.int(),
    started_at: Timestamp,
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: 'WorkflowRunStep' });

const Retry = z
  .object({
    path: z.string(),
    step_id: z.string(),
    skip: z.boolean(),
    input_changed: z.boolean(),
    reason: z.string().nullable(),
    api_key_id: z.string(),
    created_at: Timestamp,
  })
  .meta({ id: 'WorkflowRunRetry' });

const RanIn = z
  .object({
    kind: z
      .enum(['own', 'batch', 'inline'])
      .describe(
        'inline: by a worker at once, without a workflow. batch: with other runs of a backlog. own: in a separate workflow.',
      ),
    workflow_id: z.string().nullable().describe('Id of the workflow in Temporal. null: there is none.'),
    batch_workflow_id: z.string().nullable().describe('Id of the batch in Temporal that did the first steps.'),
  })
  .meta({ id: 'WorkflowRunPlace' });

export const Run = z
  .object({
    ...shape,
    ran_in: RanIn.nullable().describe('Where the run is found in Temporal. null: it has not begun.'),
    trigger_output: AnyJson,
    retries: z.array(Retry).describe('Retries by hand after a failure, with their reasons.'),
    steps: z
      .array(RunStep)
      .describe('In the order in which they began, at most 1,000 or about 2,000,000 characters at a time.'),
    next: z.string().nullable().describe('Send it as `cursor` for the steps behind these.'),
  })
  .meta({ id: 'WorkflowRun' });

export const RetryRun = z
  .object({
    input: z
      .record(z.string(), AnyJson)
      .optional()
      .describe('Replaces the input of the failed step, also in later retries.'),
    skip: z.boolean().default(false).describe('Continues after the failed step.'),
    reason: z.string().min(1).max(1_000).optional().describe('Stored with the run.'),
  })
  .meta({ id: 'RetryWorkflowRun', examples: [{ skip: true, reason: 'The shop was told by phone' }] });
export type RetryRun = z.infer<typeof RetryRun>;

export const StartedRun = z.object({ run_id: Id });
