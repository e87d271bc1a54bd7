import { z } from 'zod';
import { Cursor, Id, Timestamp } from '../../schemas/parts.ts';
import { CONFIRMATION_REASONS, CONFIRMERS } from '../calls/confirming.rules.ts';

export const ConfirmationRef = z.object({ id: Id });

export const ListConfirmations = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(25),
  session_id: Id.optional().describe('Only those of a session.'),
});
export type ListConfirmations = z.infer<typeof ListConfirmations>;

export const LinkPath = z.object({ token: z.string().min(1).max(255) });

/** The form of the link's page, with all values of its field. */
export const LinkDecision = z.object({
  decision: z.tuple([z.enum(['confirm', 'reject'])], 'must be given once: confirm or reject'),
});

const Confirmation = z
  .object({
    id: Id.describe('Of the call.'),
    session_id: Id,
    turn_id: Id,
    operation_id: z.string(),
    name: z.string().describe('The action’s name.'),
    arguments: z.record(z.string(), z.unknown()).nullable(),
    fields: z.array(z.object({ name: z.string(), value: z.string() })).describe('The arguments as customers see them.'),
    needs: z.enum(CONFIRMERS).nullable().describe('Who decides. Agents can decide for customers, too.'),
    needs_because: z.enum(CONFIRMATION_REASONS).nullable(),
    expires_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({
    id: 'AutopilotConfirmation',
    examples: [
      {
        id: '01900000-0000-7000-8000-000000000001',
        session_id: '01900000-0000-7000-8000-000000000002',
        turn_id: '01900000-0000-7000-8000-000000000003',
        operation_id: 'refund_order',
        name: 'Refund an order',
        arguments: { body_params: { order: 'A-1', amount: 200 } },
        fields: [
          { name: 'order', value: 'A-1' },
          { name: 'amount', value: '200' },
        ],
        needs: 'agent',
        needs_because: 'limits',
        expires_at: '2026-01-02T10:00:00.000Z',
        created_at: '2026-01-01T10:00:00.000Z',
      },
    ],
  });

export const ConfirmationPage = z.object({ items: z.array(Confirmation), next: z.string().nullable() });
