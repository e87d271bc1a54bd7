import { z } from 'zod';
import { Id, Timestamp } from '../../schemas/parts.ts';

export const MessagePath = z.object({ id: Id, messageId: Id });

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
      .describe('Of an e-mail: its HTML without scripts, styles and pictures. null if it came as plain text.'),
    received_at: Timestamp,
  })
  .meta({ id: 'MessageSource' });
