import { z } from 'zod';
import { PhoneNumber } from '../../contacts/phone-number.schema.ts';
import { CustomDataChange, Email } from '../../contacts/schema.ts';
import { Id } from '../../schemas/parts.ts';
import { SentDraftAt } from '../composing/drafts.schema.ts';
import { AutopilotResponse } from './answers.schema.ts';

const MAX_TEXT_LENGTH = 50_000;
const MAX_ATTACHMENTS = 10;
/** Enough for 5 MB and the prefix of a data URL. */
const MAX_BASE64_LENGTH = 7_000_000;
const BASE64 = /^(data:[^,]{0,255};base64,)?[A-Za-z0-9+/]*={0,2}$/;
const MAX_URL_LENGTH = 2_048;
const MAX_NAME_LENGTH = 1_000;

/** The text of a message. */
export const MessageText = z.string().max(MAX_TEXT_LENGTH);

const AvatarUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(MAX_URL_LENGTH)
  .optional();

const ChatAttachment = z
  .object({
    name: z.string().min(1).max(MAX_NAME_LENGTH),
    url: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(MAX_URL_LENGTH)
      .optional(),
    base64: z
      .string()
      .max(MAX_BASE64_LENGTH, { error: 'must be at most 5 MB of bytes', abort: true })
      .regex(BASE64, 'must be base64 (RFC 4648, 4) or a data URL with base64')
      .optional()
      .describe('Raw base64, or a data URL.'),
    mime_type: z
      .string()
      .max(255)
      .optional()
      .describe(
        'Ignored: the type is detected from the content. PNG, JPEG, GIF, WebP, PDF, MP4, MOV, WebM, MP3, Ogg, WAV, M4A, docx, xlsx, xls, pptx, plain text and CSV are accepted; anything else refuses the message with 415.',
      ),
  })
  .refine(({ url, base64 }) => (url === undefined) !== (base64 === undefined), {
    error: 'must have url or base64, and not both',
  })
  .meta({ id: 'ChatAttachment' });
export type ChatAttachment = z.infer<typeof ChatAttachment>;

export const SendMessage = z
  .object({
    sender: z.enum(['contact', 'agent']),
    contact: z
      .object({
        name: z.string().max(MAX_NAME_LENGTH).optional(),
        email: Email.optional(),
        phone_number: PhoneNumber.optional(),
        avatar_url: AvatarUrl,
        custom_data: CustomDataChange.optional(),
      })
      .optional()
      .describe(
        'The sender. custom_data is merged into the session’s contact; a name it has stays, and so do its e-mail and phone number, whatever this says. A session without a contact gets the one with this e-mail or phone number. Not read where the sender is `agent`.',
      ),
    agent: z
      .object({
        id: z.number().optional().describe('A member’s id where the agent is one. Any other number is shown as it is.'),
        name: z.string().max(MAX_NAME_LENGTH).optional(),
        avatar_url: AvatarUrl,
      })
      .optional(),
    message: z
      .object({
        type: z.literal('text'),
        text: MessageText,
        attachments: z.array(ChatAttachment).max(MAX_ATTACHMENTS).default([]),
      })
      .refine(({ text, attachments }) => text.trim() !== '' || attachments.length > 0, {
        path: ['text'],
        error: 'must say something where there is no attachment',
      }),
    should_take_over_session_from_ai: z.boolean().default(false),
    copies: z
      .boolean()
      .optional()
      .describe('Of an agent’s e-mail. false: those in `cc` of the contact’s last e-mail do not get it.'),
    expected_last_id: Id.optional().describe(
      'The last item of the history that the sender has seen. If somebody or the AI wrote since, nothing is sent: 409 with the code `newer_messages` and the messages as `items`.',
    ),
    draft_updated_at: SentDraftAt,
  })
  .meta({
    id: 'SendMessage',
    examples: [
      { sender: 'contact', message: { type: 'text', text: 'Where is my order?' } },
      { sender: 'agent', agent: { name: 'Grace' }, message: { type: 'text', text: 'On its way.' } },
    ],
  });
export type SendMessage = z.infer<typeof SendMessage>;

export const SentMessage = z
  .object({
    success: z.boolean(),
    data: z.object({
      success: z.boolean(),
      code: z
        .string()
        .optional()
        .describe(
          'Why the AI says nothing: session_assigned_to_human_agent, skipping_unuseful_response or response_cancelled.',
        ),
      autopilotResponse: AutopilotResponse.optional().describe(
        'The AI’s answer to a contact’s message, where autopilot is on and it came within the wait: 15 seconds, or as `Prefer: wait=n` says.',
      ),
      sessionIsHandedOff: z.boolean().optional(),
    }),
  })
  .meta({
    id: 'SentMessage',
    examples: [{ success: true, data: { success: true, sessionIsHandedOff: false } }],
  });
export type SentMessage = z.infer<typeof SentMessage>;
