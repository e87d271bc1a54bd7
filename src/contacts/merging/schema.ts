import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';
import { Contact } from '../schema.ts';

export const MergeContact = z
  .object({
    from_id: Id.describe('The contact that is absorbed.'),
    preview: z.boolean().default(false).describe('Changes nothing.'),
  })
  .meta({ id: 'MergeContact', examples: [{ from_id: '01993e1c-7a00-7000-8000-000000000002', preview: true }] });

const Text = z.string().nullable();

export const ContactMerge = z
  .object({
    contact: Contact,
    further: z
      .object({ email: Text, phone_number: Text, external_id: Text })
      .describe('Finds the contact too. Nothing is sent to it.'),
    dropped: z.object({ name: Text, custom_data: z.record(z.string(), z.string()) }),
    moved: z.record(z.string(), z.int()).describe('Rows by kind.'),
    suppressed: z.array(z.object({ channel: z.string(), address: z.string() })),
    blocked: z.array(z.string()),
  })
  .meta({ id: 'ContactMerge' });
