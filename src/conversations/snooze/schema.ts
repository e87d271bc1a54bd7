import { z } from 'zod';
import { Time, Timestamp } from '../../schemas/parts.ts';

const MAX_SNOOZE_DAYS = 366;
const DAY_MS = 86_400_000;

const SnoozeEnd = Time.transform((text) => new Date(text))
  .refine((until) => until.getTime() > Date.now(), 'must be in the future')
  .refine((until) => until.getTime() < Date.now() + MAX_SNOOZE_DAYS * DAY_MS, 'must be within a year');

export const SnoozeSession = z
  .object({
    until: SnoozeEnd.nullable().default(null).describe('When the snooze ends. null: it has no time.'),
    until_reply: z
      .boolean()
      .default(false)
      .describe('true without `until`: it ends when the contact writes. A snooze with a time ends then too.'),
  })
  .meta({ id: 'SnoozeChatSession', examples: [{ until: '2026-12-24T09:00:00Z' }, { until_reply: true }] });
export type SnoozeSession = z.infer<typeof SnoozeSession>;

export const Snoozed = z
  .object({ snoozed_at: Timestamp.nullable(), snoozed_until: Timestamp.nullable() })
  .meta({ id: 'ChatSessionSnooze' });
