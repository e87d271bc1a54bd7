import { z } from 'zod';
import { Time, Timestamp } from '../../schemas/parts.ts';

const MAX_SNOOZE_DAYS = 366;
const DAY_MS = 86_400_000;

const SnoozeEnd = Time.transform((text) => new Date(text))
  .refine((until) => until.getTime() > Date.now(), 'must be in the future')
  .refine((until) => until.getTime() < Date.now() + MAX_SNOOZE_DAYS * DAY_MS, 'must be within a year');

const fields = z.object({
  until: SnoozeEnd.nullable()
    .optional()
    .describe('When the snooze ends. null: it has no time, and without `until_reply` the session is awake again.'),
  until_reply: z
    .boolean()
    .default(false)
    .describe('true without `until`: it ends when the contact writes. A snooze with a time ends then too.'),
});
export const SNOOZE_FIELDS = fields.shape;

type Snooze = z.infer<typeof fields>;

/** Returns whether a snooze gives its length, or its end. */
export const saysWhen = ({ until, until_reply }: Snooze): boolean => until !== undefined || until_reply;
export const WHEN_MISSING = 'must have until, or until_reply as true: {"until": null} ends a snooze';

export const SnoozeSession = fields
  .refine(saysWhen, { path: ['until'], message: WHEN_MISSING })
  .meta({ id: 'SnoozeChatSession', examples: [{ until: '2026-12-24T09:00:00Z' }, { until_reply: true }] });
export type SnoozeSession = z.infer<typeof SnoozeSession>;

export const Snoozed = z
  .object({ snoozed_at: Timestamp.nullable(), snoozed_until: Timestamp.nullable() })
  .meta({ id: 'ChatSessionSnooze' });
