import { z } from 'zod';
import { keysOf } from '../../collections/checked-access.ts';
import { Cursor, Id, Order, ReasonGroup, Time, Timestamp } from '../../schemas/parts.ts';

export const ChannelName = z.enum(['email', 'sms', 'whatsapp', 'voice', 'messenger', 'instagram', 'slack']);

export const DeliveryState = z.enum([
  'held',
  'queued',
  'sending',
  'accepted',
  'sent',
  'delivered',
  'read',
  'failed',
  'bounced',
  'suppressed',
  'skipped',
  'unknown',
  'canceled',
]);

/** The statuses that are counted together, such as in the statistics of a sequence. */
export const STATUSES_OF = {
  waiting: ['held', 'queued', 'sending'],
  sent: ['accepted', 'sent', 'delivered', 'read'],
  delivered: ['delivered', 'read'],
  failed: ['failed', 'bounced'],
  skipped: ['skipped', 'suppressed', 'canceled'],
  unknown: ['unknown'],
} as const satisfies Record<string, z.infer<typeof DeliveryState>[]>;
const DeliveryOutcome = z.enum(keysOf(STATUSES_OF)).describe('Statuses as the statistics of sequences count them.');

const FILTERS = {
  channel: ChannelName.optional(),
  status: DeliveryState.optional(),
  outcome: DeliveryOutcome.optional(),
  contact_id: Id.optional(),
  sequence_id: Id.optional(),
  step_id: Id.optional(),
  session_id: Id.optional().describe('The messages of this session.'),
  reason: ReasonGroup.optional(),
  from: Time.optional().describe('Created then or later.'),
  to: Time.optional().describe('Created earlier.'),
};
export const DeliveryFilters = z.object(FILTERS);
export type DeliveryFilters = z.infer<typeof DeliveryFilters>;

export const ListDeliveries = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  order: Order,
  ...FILTERS,
});
export type ListDeliveries = z.infer<typeof ListDeliveries>;

export const DeliveryReasons = z
  .object({
    items: z.array(z.object({ reason: z.string(), status: DeliveryState, count: z.int() })),
    counted: z.int().describe('Deliveries with a reason: the newest, at most 10,000.'),
    is_at_least: z.boolean().describe('There are more than were counted.'),
  })
  .meta({ id: 'DeliveryReasons' });

export const DeliveryPath = z.object({ id: Id });

export const Delivery = z
  .object({
    id: Id,
    channel: ChannelName,
    to: z.string().nullable().describe('The address; null if the contact has none on the channel.'),
    status: DeliveryState,
    provider: z.string().nullable(),
    provider_id: z.string().nullable().describe("The provider's id of the message."),
    reason: z.string().nullable().describe('The reason for the status, if there is one.'),
    attempts: z.int(),
    contact_id: Id.nullable(),
    sequence_id: Id.nullable(),
    step_id: Id.nullable(),
    enrollment_id: Id.nullable(),
    sent_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Delivery' });

/** A delivery with all responses and reports about it. */
export const DeliveryDetail = Delivery.extend({
  subject: z.string().nullable().describe('Of an e-mail by POST /email. null for all others, and once it is redacted.'),
  gate: z.string().nullable().describe('The gate that holds it, or because of which it was skipped.'),
  not_before: Timestamp.nullable().describe('When it is retried or evaluated again.'),
  answers: z
    .array(z.object({ attempt: z.int(), at: z.string(), outcome: z.string(), answer: z.string().nullable() }))
    .describe('The provider’s response to each attempt, oldest first. `copies_left_out`: who got no copy, and why.'),
  callbacks: z
    .array(
      z.object({ provider: z.string(), status: z.string(), reason: z.string().nullable(), received_at: Timestamp }),
    )
    .describe('The status reports received later, oldest first.'),
}).meta({ id: 'DeliveryDetail' });

export const DeliveryPage = z.object({ items: z.array(Delivery), next: z.string().nullable() });

export const ResolveDelivery = z
  .object({ outcome: z.enum(['sent', 'failed']).describe('The outcome, as found out manually.') })
  .meta({ id: 'ResolveDelivery', examples: [{ outcome: 'sent' }] });
export type ResolveDelivery = z.infer<typeof ResolveDelivery>;
