import { z } from 'zod';
import { Cursor, Id, Order, Time, Timestamp } from '../../schemas/parts.ts';
import { WEBHOOK_EVENT_TYPES } from '../events/schema.ts';

const Status = z
  .enum(['pending', 'retrying', 'delivered', 'failed', 'held'])
  .describe('retrying: tried again at next_attempt_at. held: its endpoint was disabled, so it is kept for 30 days.');

export const ListDeliveries = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  status: Status.optional(),
  event_type: z.enum(WEBHOOK_EVENT_TYPES).optional(),
  since: Time.optional().describe('Created then or later.'),
  order: Order,
});
export type ListDeliveries = z.infer<typeof ListDeliveries>;

export const DeliveriesPath = z.object({ id: Id.describe('The endpoint.') });
export const DeliveryPath = z.object({ id: Id.describe('The endpoint.'), deliveryId: Id });

const fields = {
  id: Id.describe('The `webhook-id` of every try.'),
  endpoint_id: Id,
  event_id: Id.describe('The same at all endpoints.'),
  event_type: z.string(),
  occurred_at: Timestamp,
  session_id: Id.nullable(),
  sequence: z.int().nullable().describe('Counts the webhooks of the session to this endpoint.'),
  status: Status,
  attempts: z.int(),
  next_attempt_at: Timestamp.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
};

const EXAMPLE = {
  id: '01900000-0000-7000-8000-000000000001',
  endpoint_id: '01900000-0000-7000-8000-000000000001',
  event_id: '5b2f9d3e-7a51-5a44-8a9c-0d2a3f1c7b55',
  event_type: 'conversation.started',
  occurred_at: '2026-01-31T12:00:00.000Z',
  session_id: '01900000-0000-7000-8000-000000000002',
  sequence: 1,
  status: 'delivered',
  attempts: 1,
  next_attempt_at: null,
  created_at: '2026-01-31T12:00:00.010Z',
  updated_at: '2026-01-31T12:00:00.050Z',
} as const;

const Delivery = z.object(fields).meta({ id: 'WebhookDelivery', examples: [EXAMPLE] });
export const DeliveryPage = z.object({ items: z.array(Delivery), next: z.string().nullable() });

const Attempt = z
  .object({
    number: z.int(),
    at: Timestamp,
    status: z.int().nullable().describe('The HTTP status. null: there was no answer.'),
    duration_ms: z.int(),
    answer: z.string().nullable().describe('The first kilobyte of the answer.'),
    error: z.string().nullable().describe('Why there was no answer.'),
    next_attempt_at: Timestamp.nullable(),
  })
  .meta({ id: 'WebhookAttempt' });

export const DeliveryDetail = z
  .object({
    ...fields,
    data: z.record(z.string(), z.unknown()).describe('As it is sent, without texts that were redacted since.'),
    attempt_log: z.array(Attempt).describe('Oldest first.'),
  })
  .meta({
    id: 'WebhookDeliveryDetail',
    examples: [
      {
        ...EXAMPLE,
        data: { session_id: EXAMPLE.session_id },
        attempt_log: [
          {
            number: 1,
            at: '2026-01-31T12:00:00.020Z',
            status: 200,
            duration_ms: 12,
            answer: 'ok',
            error: null,
            next_attempt_at: null,
          },
        ],
      },
    ],
  });
