import { z } from 'zod';
import { Email } from '../../contacts/schema.ts';
import { Id, Timestamp } from '../../schemas/parts.ts';
import { ExplainedEnrollment } from '../schema.ts';

export const ExplainQuery = z
  .object({ contact_id: Id.optional(), email: Email.optional() })
  .refine(
    ({ contact_id, email }) => (contact_id === undefined) !== (email === undefined),
    'must have one of contact_id and email',
  );
export type ExplainQuery = z.infer<typeof ExplainQuery>;

const Check = z.object({
  check: z.enum([
    'contact',
    'sequence',
    'audience',
    'enrollment',
    'block',
    'suppression',
    'channel',
    'gate',
    'delivery',
    'command',
  ]),
  state: z.enum(['ok', 'waits', 'stops']),
  says: z.string(),
  at: Timestamp.nullable().describe('When that changes or has changed, if it is known.'),
});

/** What a contact has got of a sequence, and why not the rest. */
export const ContactExplanation = z
  .object({
    contact: z
      .object({
        id: Id,
        name: z.string().nullable(),
        email: z.string().nullable(),
        phone_number: z.string().nullable(),
      })
      .nullable(),
    verdict: z
      .enum(['unknown_contact', 'not_enrolled', 'stopped', 'waiting', 'sent'])
      .describe('Of the first step that the contact did not get. sent: it got all.'),
    summary: z.string().describe('The answer in a sentence.'),
    at: Timestamp.nullable().describe('When what is waited for is due.'),
    checks: z.array(Check).describe('All that decides it, as it is now. The last delivery as well.'),
    steps: z.array(z.object({ id: Id, index: z.int().nullable(), says: z.string(), at: Timestamp.nullable() })),
    enrollment: ExplainedEnrollment.nullable(),
  })
  .meta({ id: 'ContactExplanation' });
