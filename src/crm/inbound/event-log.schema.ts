import { z } from 'zod';
import { Cursor, Id, Timestamp } from '../../schemas/parts.ts';

export const BatchPath = z.object({ id: Id });

export const ListBatches = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type ListBatches = z.infer<typeof ListBatches>;

const States = z
  .object({ queued: z.int(), done: z.int(), skipped: z.int(), failed: z.int() })
  .describe('The results of the new events.');

const CrmBatch = z
  .object({
    id: Id,
    received_at: Timestamp,
    events: z.int().describe('The number of elements that are events of supported types.'),
    known: z.int().describe('How many of these were received before.'),
    unsupported: z.int().describe('Elements of unsupported types.'),
    malformed: z.int().describe('Elements that are no events.'),
    states: States,
  })
  .meta({ id: 'CrmBatch' });

export const CrmBatchPage = z.object({ items: z.array(CrmBatch), next: z.string().nullable() });

const Element = z.object({
  index: z.int().describe('Its place in the body, from 0.'),
  type: z.string().nullable(),
  object_id: z.string().nullable(),
  occurred_at: Timestamp.nullable(),
  state: z
    .enum(['queued', 'done', 'skipped', 'failed', 'unsupported', 'malformed', 'unknown'])
    .describe('`unknown`: it would be queued by a replay.'),
  reason: z
    .string()
    .nullable()
    .describe('Why it was skipped or failed, or, while it is `queued`, which outage or limit of the CRM it waits for.'),
  settled_at: Timestamp.nullable(),
});

export const CrmBatchDetail = CrmBatch.extend({
  body: z.string().describe('As it came.'),
  elements: z.array(Element),
}).meta({ id: 'CrmBatchDetail' });

const dry_run = z.boolean().default(false).describe('Says what would be done, and does nothing.');

export const ReplayBatch = z
  .object({ dry_run })
  .nullish()
  .meta({ id: 'ReplayCrmBatch', examples: [{ dry_run: true }] });

const DateTime = z.iso.datetime({
  offset: true,
  error: 'must be an ISO 8601 date-time, such as 2026-01-31T12:00:00Z',
});

export const ReplayBatches = z
  .object({
    from: DateTime.describe('Batches that came in then or later.'),
    to: DateTime.describe('Batches that came in earlier.'),
    dry_run,
    cursor: Cursor.optional(),
  })
  .refine(({ from, to }) => Date.parse(from) < Date.parse(to), { path: ['to'], message: 'must be later than from' })
  .meta({
    id: 'ReplayCrmBatches',
    examples: [{ from: '2026-01-31T12:00:00Z', to: '2026-02-01T12:00:00Z', dry_run: true }],
  });
export type ReplayBatches = z.infer<typeof ReplayBatches>;

export const Replayed = z
  .object({
    batches: z.int(),
    queued: z.int().describe('Events that were unknown or had failed.'),
    unchanged: z.int().describe('Events that are done, skipped or queued already.'),
  })
  .meta({ id: 'CrmReplay' });

export const ReplayedPage = Replayed.extend({
  next: z
    .string()
    .nullable()
    .describe('Send it as `cursor`, with the same from and to, to continue with the batches after these.'),
}).meta({ id: 'CrmReplayPage' });
