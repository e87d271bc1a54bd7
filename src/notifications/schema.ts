import { z } from 'zod';
import { Cursor, Id, Time, Timestamp } from '../schemas/parts.ts';

const MAX_IDS = 200;
const NOTIFICATION_KINDS = ['mention', 'assigned', 'breach', 'confirmation', 'ended'] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

export const ListNotifications = z.object({
  unread: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('true: only unread ones.'),
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type ListNotifications = z.infer<typeof ListNotifications>;

const Notification = z
  .object({
    id: Id,
    kind: z
      .enum(NOTIFICATION_KINDS)
      .describe(
        '`mention`: in a note. `assigned`: a session to you. `breach`: of an SLA in a session of yours or of your team. `confirmation`: a call of the AI, or of an assistant, waits for one. `ended`: a job of yours.',
      ),
    session_id: Id.nullable(),
    ticket_number: z.int().nullable(),
    contact_name: z.string().nullable().describe('Its e-mail or phone number, where it has no name.'),
    data: z
      .record(z.string(), z.unknown())
      .describe(
        '`note_id` and `author_id` of a mention, `metric` of a breach, `call_id` or `mcp_confirmation_id` of a confirmation, `job_id` of what ended.',
      ),
    created_at: Timestamp,
    read_at: Timestamp.nullable(),
  })
  .meta({ id: 'Notification' });

export const NotificationPage = z.object({
  items: z.array(Notification),
  next: z.string().nullable(),
  unread: z.int().describe('How many are unread, counted to 1,000.'),
});

export const ReadNotifications = z
  .object({
    ids: z.array(Id).min(1).max(MAX_IDS),
    before: Time.transform((text) => new Date(text)).describe('All that were made by then.'),
  })
  .partial()
  .refine(({ ids, before }) => (ids === undefined) !== (before === undefined), 'must have ids or before, and not both')
  .meta({ id: 'ReadNotifications', examples: [{ before: '2026-12-24T09:00:00Z' }] });
export type ReadNotifications = z.infer<typeof ReadNotifications>;
