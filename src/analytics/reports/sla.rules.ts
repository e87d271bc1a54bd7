import type { z } from 'zod';
import type { SlaReport } from './schema.ts';

type SlaFigures = z.infer<typeof SlaReport>['totals'];

/** One metric of SLA targets, as /sla/analytics counts it. */
interface Metric {
  metric: 'first_reply' | 'next_reply' | 'resolution';
  met: number;
  breached: number;
  compliance: number | null;
  p50_seconds: number | null;
  p90_seconds: number | null;
  p95_seconds: number | null;
}

/** Names the figures of each metric by it, such as `resolution_met`. */
export const slaFiguresOf = (metrics: Metric[]): SlaFigures =>
  Object.fromEntries(
    metrics.flatMap(({ metric, ...figures }) =>
      Object.entries(figures).map(([name, value]) => [`${metric}_${name}`, value]),
    ),
  ) as SlaFigures;
