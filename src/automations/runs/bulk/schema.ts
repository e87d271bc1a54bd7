import { z } from 'zod';
import { Id } from '../../../schemas/parts.ts';
import { RunFilters } from '../overview/schema.ts';
import { RerunRun, RetryRun } from '../schema.ts';

const MAX_IDS = 200;

export const RunAction = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('retry'), reason: RetryRun.shape.reason }),
    z.object({ type: z.literal('cancel') }),
    z.object({ type: z.literal('rerun'), version: RerunRun.shape.version }),
  ])
  .meta({ id: 'WorkflowRunAction' });
export type RunAction = z.infer<typeof RunAction>;

export const ChangeRuns = z
  .object({
    ids: z.array(Id).min(1).max(MAX_IDS).optional().describe('At once, with one result each.'),
    query: RunFilters.optional().describe('All runs that GET /runs lists by it, by a job.'),
    action: RunAction,
  })
  .refine(({ ids, query }) => (ids === undefined) !== (query === undefined), 'must have one of ids and query')
  .meta({
    id: 'ChangeWorkflowRuns',
    examples: [
      {
        query: { status: 'failed', from: '2026-01-31T12:00:00Z' },
        action: { type: 'retry', reason: 'The shop is back' },
      },
    ],
  });
