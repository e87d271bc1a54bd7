import { z } from 'zod';
import { Cursor, eventsOf, Id, Time, Timestamp } from '../../../schemas/parts.ts';
import { RunRow, RunStatus, WaitingFor } from '../schema.ts';

const MAX_BUCKETS = 200;

/** The runs of an org that meet all of these. */
export const RunFilters = z
  .object({
    workflow_id: Id.optional(),
    status: RunStatus.optional(),
    waiting_for: WaitingFor.optional(),
    session_id: Id.optional().describe('The session in its trigger output.'),
    contact_id: Id.optional().describe('The contact in its trigger output.'),
    from: Time.optional().describe('Created then or later.'),
    to: Time.optional().describe('Created earlier.'),
    q: z.string().min(1).max(200).optional().describe('The id of a run, or a part of the name of its workflow.'),
  })
  .meta({ id: 'WorkflowRunFilters' });
export type RunFilters = z.infer<typeof RunFilters>;

export const ListAllRuns = z.object({
  ...RunFilters.shape,
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type ListAllRuns = z.infer<typeof ListAllRuns>;

export const RunPage = z.object({ items: z.array(RunRow), next: z.string().nullable() });

export const CountRuns = z.object({
  workflow_id: Id.optional(),
  from: Time.optional().describe('Then or later, at most 366 days before `to`. Absent: a day before `to`.'),
  to: Time.optional().describe('Earlier. Absent: now.'),
  buckets: z.coerce.number().int().min(1).max(MAX_BUCKETS).default(60),
  by_workflow: z.enum(['true', 'false']).default('false').describe('Whether each workflow is counted too.'),
});
export type CountRuns = z.infer<typeof CountRuns>;

const count = z.int();
const counts = { idle: count, in_progress: count, completed: count, failed: count, canceled: count };

export const RunStats = z
  .object({
    from: Timestamp,
    to: Timestamp,
    total: z.object(counts),
    buckets: z
      .array(z.object({ at: Timestamp, ...counts }))
      .describe('Periods of equal length, by the runs’ creation.'),
    workflows: z
      .array(z.object({ workflow_id: Id, last_run_at: Timestamp, ...counts }))
      .optional()
      .describe('With `by_workflow`: those with a run, the last one first.'),
  })
  .meta({ id: 'WorkflowRunStats' });

export const AnyRunPath = z.object({ runId: Id });

/** The `data` of an event: the run as lists show it, and how far its steps are. */
export const RunProgress = RunRow.extend({
  steps_begun: z.int(),
  steps_ended: z.int(),
  attempts: z.int().describe('Of all steps.'),
}).meta({ id: 'WorkflowRunProgress' });

/** Encodes a RunProgress as JSON. */
export const runProgressJson = (progress: z.output<typeof RunProgress>): string =>
  JSON.stringify(z.encode(RunProgress, progress));

/** The answer of the stream in the OpenAPI document. */
export const RunEvents = {
  description: 'Server-sent events (WHATWG HTML): `event: progress`, `data` a WorkflowRunProgress as JSON.',
  content: { 'text/event-stream': { schema: z.string().meta(eventsOf('WorkflowRunProgress')) } },
};
