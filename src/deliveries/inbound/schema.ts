import { z } from 'zod';
import { EmailAddress, Id, Timestamp } from '../../schemas/parts.ts';

export const InboundMailQuery = z.object({
  to: EmailAddress.optional().describe(
    'The address of the inbox. If absent, the addresses in the e-mail are looked at.',
  ),
});

export const InboundMail = z
  .string()
  .describe('The e-mail as it came, at most 25 MB.')
  .meta({
    examples: [
      'From: Ada <ada@example.com>\r\nTo: support@example.org\r\nSubject: Lost parcel\r\nMessage-ID: <1@example.com>\r\n\r\nWhere is it?\r\n',
    ],
  })
  .nullish();

export const StoredMail = z.object({ id: Id.describe('Of the stored e-mail.') }).meta({ id: 'StoredMail' });

export const MessagePath = z.object({ id: Id, messageId: Id });

export const PicturePath = MessagePath.extend({
  position: z.coerce
    .number()
    .int()
    .min(0)
    .max(99)
    .describe('Of the picture among the `data-src` of the HTML, from 0.')
    .meta({ examples: [0] }),
});

export const MessagePicture = z
  .object({
    mime_type: z.string().describe('`image/png`, `image/jpeg`, `image/gif` or `image/webp`, as its bytes say.'),
    content: z.string().describe('In Base64.'),
  })
  .meta({ id: 'MessagePicture' });

export const MessageSource = z
  .object({
    id: Id,
    message_id: z.string().nullable().describe('Of an e-mail: its Message-ID.'),
    from: z.string(),
    sender_name: z.string().nullable(),
    to: z.string().describe('The address or number that it came to.'),
    cc: z.array(z.string()).describe('Of an e-mail: who else has it, without our own addresses.'),
    reply_to: z.string().nullable(),
    subject: z.string().nullable(),
    text: z.string().describe('The whole text, with quotations and signature. Empty once it is redacted.'),
    html: z
      .string()
      .nullable()
      .describe(
        'Of an e-mail: its HTML without scripts and styles. Remote pictures have their address in `data-src` and do not load. null if it came as plain text.',
      ),
    received_at: Timestamp,
  })
  .meta({ id: 'MessageSource' });
