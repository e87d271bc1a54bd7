import { z } from 'zod';
import { QuietHours } from '../../orgs/settings/schema.ts';

/** The rules deferring or ending the sends of a sequence, in addition to consent. Each is off until set. */
export const Gates = z
  .object({
    quiet_hours: QuietHours.nullable().describe("In place of the org's. null: the org's."),
    daily_cap: z
      .int()
      .min(1)
      .max(1_000_000)
      .nullable()
      .describe(
        "Messages that a contact gets at most in a day from all sequences, in place of the org's. null: the org's.",
      ),
    sends_per_minute: z
      .int()
      .min(1)
      .max(1_000_000)
      .nullable()
      .describe(
        'Sends a minute of the sender (an address or number), over all sequences with this gate. null: no limit.',
      ),
    exit_on_reply: z
      .boolean()
      .describe('Contacts who have replied on any channel since the enrollment get nothing more.'),
    exit_when_unmatched: z.boolean().describe('Contacts no longer matching the filter get nothing more.'),
  })
  .partial()
  .meta({ id: 'SequenceGates' });
export type Gates = z.infer<typeof Gates>;
