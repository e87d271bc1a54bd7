import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';
import { DeliveryFilters, ResolveDelivery } from '../ledger/schema.ts';

const MAX_IDS = 200;

export const ChangeDeliveries = z
  .object({
    ids: z.array(Id).min(1).max(MAX_IDS).optional().describe('At once, with one result each.'),
    query: DeliveryFilters.optional().describe('All unknown ones that GET /deliveries lists by it, by a job.'),
    action: ResolveDelivery.extend({ type: z.literal('resolve') }),
  })
  .refine(({ ids, query }) => (ids === undefined) !== (query === undefined), 'must have one of ids and query')
  .meta({
    id: 'ChangeDeliveries',
    examples: [{ query: { channel: 'email' }, action: { type: 'resolve', outcome: 'failed' } }],
  });
export type ChangeDeliveries = z.infer<typeof ChangeDeliveries>;
