import { z } from 'zod';
import { Id, Timestamp } from '../schemas/parts.ts';

export const SlaSessionPath = z.object({ id: Id });

const Clock = z
  .object({
    metric: z.enum(['first_reply', 'next_reply', 'resolution']),
    cycle: z.int().describe('Counts the next replies from 1; the other metrics have one clock a session.'),
    state: z
      .enum(['not_applicable', 'not_started', 'running', 'paused', 'fulfilled', 'breached'])
      .describe(
        'not_applicable: the policy has no target. breached: the target is passed, whether it still runs or not.',
      ),
    target_seconds: z.int().nullable(),
    elapsed_seconds: z.number().describe('The counted time: within office hours, without pauses.'),
    started_at: Timestamp.nullable(),
    stopped_at: Timestamp.nullable().describe('null: it still runs or is paused.'),
    due_at: Timestamp.nullable().describe('null while it is paused or stopped.'),
    warning_at: Timestamp.nullable().describe('When 80 % of the target have passed: then a warning is announced.'),
    breached_at: Timestamp.nullable(),
    intervals: z.array(z.object({ start: Timestamp, end: Timestamp })).describe('The counted periods.'),
  })
  .meta({ id: 'SlaClock' });

export const SessionSla = z
  .object({
    policy: z
      .object({ id: Id, name: z.string(), office_hours_id: Id.nullable() })
      .nullable()
      .describe('null: no policy covers the session.'),
    clocks: z.array(Clock).describe('Computed with the current policy and office hours.'),
  })
  .meta({ id: 'SessionSla' });
