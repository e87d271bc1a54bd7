import { z } from 'zod';
import { templated } from '../../contacts/templates/schema.ts';
import { EmailBody, HeaderText, IsHtml } from '../../deliveries/email/schema.ts';
import { withUnsubscribePlaceholder } from '../../deliveries/sending/unsubscribe-link.rules.ts';
import { EmailAddress } from '../../schemas/parts.ts';
import { WhatsAppTemplateMapping } from './whatsapp-template.schema.ts';

const TEMPLATE =
  'May refer to the contact: {{contact.name|there}}, {{contact.custom_data.plan}}. A missing or blank value is replaced by its fallback.';

const SendEmails = z.object({
  type: z.literal('send_emails'),
  data: z.object({
    from_email: EmailAddress,
    email_subject: templated(HeaderText).describe(TEMPLATE),
    email_body: templated(EmailBody, withUnsubscribePlaceholder).describe(
      `HTML or plain text, as \`is_html\` says. ${TEMPLATE} {{unsubscribe_url}} is the link for unsubscribing; marketing mail without it ends with one.`,
    ),
    is_html: IsHtml,
    email_sender_name: templated(HeaderText),
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
  data: z.object({ message: templated(z.string().min(1).max(1600)).describe(TEMPLATE) }),
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

export const StepAction = z
  .discriminatedUnion('type', [SendEmails, MakePhoneCalls, SendSmsMessages, SendWhatsAppMessages])
  .meta({ id: 'StepAction' });
export type StepAction = z.infer<typeof StepAction>;
