import { z } from 'zod';
import { Cursor, EmailAddress, Id, Timestamp } from '../../schemas/parts.ts';
import { HeaderText } from '../email/schema.ts';

const MAX_NAME_LENGTH = 200;
const MAX_SIGNATURE_LENGTH = 5_000;

const Address = EmailAddress.toLowerCase();

const fields = {
  display_name: HeaderText.max(MAX_NAME_LENGTH)
    .nullable()
    .default(null)
    .describe('The sender’s name of answers, such as `Acme Support`.'),
  team_id: Id.nullable().default(null).describe('The team that gets the sessions which mail to the address opens.'),
  signature: z
    .string()
    .max(MAX_SIGNATURE_LENGTH)
    .nullable()
    .default(null)
    .describe('Plain text that ends the e-mails of agents and the AI, behind a line of `-- `.'),
  is_default_sender: z
    .boolean()
    .default(false)
    .describe('Whether agents write from it in sessions to which no mail has come. Only one inbox does.'),
};

export const PutInbox = z.object({ address: Address.describe('In any case. Stored in lower case.'), ...fields }).meta({
  id: 'PutInbox',
  examples: [
    {
      address: 'support@example.org',
      display_name: 'Example Support',
      signature: 'Your Example team\nhttps://example.org',
      is_default_sender: true,
    },
  ],
});
export type PutInbox = z.infer<typeof PutInbox>;

export const InboxPath = z.object({ id: Id });

export const ListInboxes = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type ListInboxes = z.infer<typeof ListInboxes>;

export const EmailInbox = z
  .object({
    id: Id,
    address: z.string(),
    display_name: z.string().nullable(),
    team_id: z.string().nullable(),
    signature: z.string().nullable(),
    is_default_sender: z.boolean(),
    status: z
      .enum(['pending', 'verified'])
      .describe(
        '`verified`: the records of its domain are in DNS, so mail goes out from it. PUT /email/domains adds one.',
      ),
    is_receiving: z
      .boolean()
      .describe(
        'Whether mail to it is taken by SMTP: it is verified, or at the installation’s own domain. POST /email/inbound takes it in any case.',
      ),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'EmailInbox' });

export const EmailInboxPage = z.object({ items: z.array(EmailInbox), next: z.string().nullable() });
