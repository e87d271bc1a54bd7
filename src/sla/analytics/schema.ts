import { z } from 'zod';
import { PERIODS } from '../../reports/periods.rules.ts';
import { Id, SessionChannel, Time, Timestamp } from '../../schemas/parts.ts';

/** Selects the clocks to count: those decided in the range, by a stop in time or by a breach. */
export const SlaQuery = z.object({
  from: Time.optional().describe('Decided then or later. Absent: 30 days before `to`.'),
  to: Time.optional().describe('Decided earlier. Absent: now.'),
  policy_id: Id.optional(),
  team_id: Id.optional(),
  channel: SessionChannel.optional(),
});
export type SlaQuery = z.infer<typeof SlaQuery>;

const Granularity = z.enum(PERIODS);

export const SlaTrendQuery = SlaQuery.extend({
  granularity: Granularity.default('day').describe('Periods begin at midnight in the org’s time zone, UTC until set.'),
});
export type SlaTrendQuery = z.infer<typeof SlaTrendQuery>;

const GroupBy = z.enum(['policy', 'team', 'channel', 'assignee']);

export const SlaBreakdownQuery = SlaQuery.extend({ group_by: GroupBy });
export type SlaBreakdownQuery = z.infer<typeof SlaBreakdownQuery>;

const Seconds = z.number().nullable();

const Compliance = z
  .object({
    metric: z.enum(['first_reply', 'next_reply', 'resolution']),
    met: z.int(),
    breached: z.int().describe('Including clocks still running.'),
    compliance: z.number().nullable().describe('The share of those met, 0 to 1. null: nothing was decided.'),
    p50_seconds: Seconds.describe('Of stopped clocks, in counted time.'),
    p90_seconds: Seconds,
    p95_seconds: Seconds,
  })
  .meta({ id: 'SlaCompliance' });

const metrics = z.array(Compliance).describe('One of each metric.');

export const SlaSummary = z.object({ from: Timestamp, to: Timestamp, metrics }).meta({ id: 'SlaSummary' });

export const SlaTrend = z
  .object({
    from: Timestamp,
    to: Timestamp,
    items: z.array(z.object({ period_start: Timestamp, metrics })).describe('Periods with decided clocks.'),
  })
  .meta({ id: 'SlaTrend' });

export const SlaBreakdown = z
  .object({
    from: Timestamp,
    to: Timestamp,
    items: z.array(
      z.object({
        key: z.string().nullable().describe('An id or a channel, as of now. null: none, or one that is deleted.'),
        name: z.string().nullable(),
        metrics,
      }),
    ),
  })
  .meta({ id: 'SlaBreakdown' });
