import { z } from 'zod';
import { Cursor, Id, Timestamp } from '../../schemas/parts.ts';
import { AnyJson, OPERATORS, TriggerType } from '../blocks/schema.ts';
import { bounded } from '../schema.ts';

export const RunStatus = z.enum(['idle', 'in_progress', 'completed', 'failed', 'canceled']);
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

const StepStatus = z.enum(['in_progress', 'waiting', 'completed', 'failed', 'skipped']);

export const WAITING_FOR = ['timer', 'event', 'retry', 'person'] as const;
export const WaitingFor = z
  .enum(WAITING_FOR)
  .describe(
    'timer, event: a wait. retry: the next attempt of a step. person: it failed at a step, and can be retried.',
  );
export type WaitingFor = z.infer<typeof WaitingFor>;

const overview = {
  workflow_name: z.string(),
  trigger_type: TriggerType,
  session_id: z.string().nullable().describe('The session in its trigger output.'),
  contact_id: z.string().nullable().describe('The contact in its trigger output.'),
  waiting_for: WaitingFor.nullable(),
};

/** A run as lists over all workflows show it. */
export const RunRow = z
  .object({
    ...shape,
    ...overview,
    step: z
      .object({
        id: z.string(),
        path: z.string(),
        type: z.string(),
        name: z.string().nullable(),
        state: StepStatus,
        attempts: z.int(),
        next_try_at: Timestamp.nullable(),
        until: z.string().nullable().describe('The end of a wait.'),
        last_error: z.string().nullable(),
      })
      .nullable()
      .describe('The step that it is at, or failed at.'),
  })
  .meta({ id: 'WorkflowRunRow' });

export const RunList = z.object({
  runs: z.array(RunSummary),
  total_items: z.int(),
  total_pages: z.int(),
  has_next_page: z.boolean(),
  current_page: z.int(),
});

const BranchReason = z
  .object({
    branch: z.string().describe('The branch in the paths of its steps, such as `then` or `case.0`.'),
    operator: z.enum(OPERATORS),
    left: AnyJson,
    right: AnyJson.describe('Of a switch: what the case equals. null in its default.'),
  })
  .meta({ id: 'WorkflowBranchReason' });

const RunStep = z
  .object({
    path: z
      .string()
      .describe('Path in the run: 3.do.5.1 is the second step of the sixth iteration of the fourth step.'),
    id: z.string(),
    type: z.string(),
    name: z.string().nullable(),
    status: StepStatus,
    input: AnyJson.nullable(),
    output: AnyJson.nullable(),
    error: z.string().nullable(),
    attempts: z.int(),
    max_attempts: z.int().nullable().describe('Of one round: a retry by hand begins another. null: a block.'),
    next_try_at: Timestamp.nullable().describe('The next attempt, after one that failed.'),
    branch_reason: BranchReason.nullable().describe('Of an if-else or a switch: why it took that branch.'),
    skipped_because: z.string().nullable(),
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
    url: z
      .string()
      .nullable()
      .describe('The workflow in the Temporal UI, for callers with full access, if TEMPORAL_UI_URL is set.'),
  })
  .meta({ id: 'WorkflowRunPlace' });

export const Run = z
  .object({
    ...shape,
    ...overview,
    ran_in: RanIn.nullable().describe('Where the run is found in Temporal. null: it has not begun.'),
    trigger_output: AnyJson,
    retries: z.array(Retry).describe('Retries by hand after a failure, with their reasons.'),
    steps: z
      .array(RunStep)
      .describe('In the order in which they began, at most 1,000 or about 2,000,000 characters at a time.'),
    next: z.string().nullable().describe('Send it as `cursor` for the steps behind these.'),
    not_run: z
      .array(z.object({ id: z.string(), type: z.string(), name: z.string().nullable(), because: z.string() }))
      .describe('Steps that were in none of its ways, once it has ended.'),
  })
  .meta({ id: 'WorkflowRun' });

export const RetryRun = z
  .object({
    input: z
      .record(z.string(), AnyJson)
      .optional()
      .describe('Replaces the input of the failed step, also in later retries. It may have references.'),
    skip: z.boolean().default(false).describe('Continues after the failed step.'),
    reason: z.string().min(1).max(1_000).optional().describe('Stored with the run.'),
  })
  .meta({ id: 'RetryWorkflowRun', examples: [{ skip: true, reason: 'The shop was told by phone' }] });
export type RetryRun = z.infer<typeof RetryRun>;

export const RerunRun = z
  .object({
    version: z
      .enum(['same', 'latest'])
      .default('latest')
      .describe('same: the version of this run. latest: the active version, or else the latest.'),
    input: bounded(z.record(z.string(), AnyJson))
      .optional()
      .describe('Fields that replace those of its trigger output, such as `body`.'),
  })
  .meta({ id: 'RerunWorkflowRun', examples: [{ version: 'same', input: { body: { order: 1004 } } }] });
export type RerunRun = z.infer<typeof RerunRun>;

export const StartedRun = z.object({ run_id: Id });
