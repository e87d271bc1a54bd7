import { z } from 'zod';
import { EmailBody, HeaderText } from '../deliveries/emails.schema.ts';
import { EmailAddress } from '../http/schemas.ts';
import { WhatsAppTemplateMapping } from './whatsapp.schema.ts';

const SendEmails = z.object({
  type: z.literal('send_emails'),
  data: z.object({
    from_email: EmailAddress,
    email_subject: HeaderText,
    email_body: EmailBody.describe('HTML where it has tags, else plain text.'),
    email_sender_name: HeaderText,
    email_is_transactional: z
      .boolean()
      .describe('Transactional mail has no unsubscribe link and reaches those who opted out.'),
  }),
});

const MakePhoneCalls = z.object({
  type: z.literal('make_phone_calls'),
  data: z.object({ aiPhoneAgentId: z.string().min(1).max(255) }),
});

const SendSmsMessages = z.object({
  type: z.literal('send_sms_messages'),
  data: z.object({ message: z.string().min(1).max(1600) }),
});

const SendWhatsAppMessages = z.object({
  type: z.literal('send_whatsapp_messages'),
  data: z.object({
    phone_number_id: z.string().min(1).max(255),
    template: z.object({
      name: z.string().min(1).max(512),
      language: z.string().min(2).max(20),
      parameters: WhatsAppTemplateMapping,
    }),
  }),
});

/** What a step does. */
export const StepAction = z
  .discriminatedUnion('type', [SendEmails, MakePhoneCalls, SendSmsMessages, SendWhatsAppMessages])
  .meta({ id: 'StepAction' });
export type StepAction = z.infer<typeof StepAction>;
