import { z } from 'zod';
import { PhoneNumber } from '../../contacts/phone-number.schema.ts';
import { ContactRef } from '../../contacts/schema.ts';
import { Id } from '../../schemas/parts.ts';

/** A template message of WhatsApp. `variables` fill its placeholders in order: header text, body, buttons. */
export const SendTemplate = z
  .object({
    template_id: z.string().min(1).max(255).describe("Meta's id of the template."),
    phone_number_id: z.string().min(1).max(255).describe('Meta’s id of the sending number.'),
    variables: z
      .array(
        z
          .string()
          .min(1)
          .max(4096)
          .refine((text) => text.trim() !== '', 'must not be blank: WhatsApp refuses it'),
      )
      .max(100)
      .describe(
        "The values of the template's placeholders in order: header, body, buttons. A header with an image, a video or a document takes the URL of the file. One with a location takes four: latitude, longitude, name and address.",
      ),
    contact: ContactRef,
    session_id: Id.optional().describe(
      'An open WhatsApp session of the contact to continue. If absent, or a session of the contact on another channel, a new one is opened: `opencx_session_id` names it.',
    ),
  })
  .meta({
    id: 'SendTemplate',
    examples: [
      {
        template_id: '594425479261596',
        phone_number_id: '106540352242922',
        variables: ['Ada', 'Friday'],
        contact: { phone_number: '+442079460958' },
      },
    ],
  });
export type SendTemplate = z.infer<typeof SendTemplate>;

export const SendTemplateAnswer = z.object({
  whatsapp_message_id: z.string().nullable().describe('Null until WhatsApp has answered.'),
  opencx_message_id: Id.describe('Also the id of the delivery (GET /deliveries/{id}).'),
  opencx_session_id: Id,
});

export const MakeOutboundCall = z
  .object({
    phoneAgentId: z.string().min(1).max(255),
    contact: z.union([z.object({ id: Id }), z.object({ phoneNumber: PhoneNumber })]),
  })
  .meta({
    id: 'MakeOutboundCall',
    examples: [{ phoneAgentId: '01900000-0000-7000-8000-000000000001', contact: { phoneNumber: '+442079460958' } }],
  });
export type MakeOutboundCall = z.infer<typeof MakeOutboundCall>;

export const MakeOutboundCallAnswer = z.object({
  call_id: Id.describe('Also the id of the delivery (GET /deliveries/{id}).'),
  session_id: Id,
  status: z.string().describe('`queued`: GET /deliveries/{id} shows the result of the call.'),
});
