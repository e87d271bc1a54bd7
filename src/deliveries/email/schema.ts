import { z } from 'zod';
import { EmailAddress, Id } from '../../schemas/parts.ts';
import type { AttachedFile } from '../sending/attached-files.rules.ts';

const ONE_YEAR_IN_MINUTES = 525_600;
/** Text for a header: one line. */
export const HeaderText = z
  .string()
  .max(998, { abort: true })
  .regex(/^[^\r\n]*$/, 'must be one line');
export const EmailBody = z.string().max(500_000).describe('HTML or plain text, as `is_html` says.');
export const IsHtml = z
  .boolean()
  .optional()
  .describe(
    'Whether the body is HTML. If absent, it is if it has a complete HTML element, such as `<p>Hi</p>` or `<br>`.',
  );

const EmailRecipient = z
  .object({
    to_email: EmailAddress,
    email_subject: HeaderText.optional(),
    email_sender_name: HeaderText.optional(),
    email_body: EmailBody.optional(),
    is_html: IsHtml.describe('Whether `email_body` is HTML. If absent, as `is_html` of the request.'),
    email_is_transactional: z
      .boolean()
      .default(false)
      .describe('Transactional mail has no unsubscribe link and reaches those who opted out.'),
  })
  .meta({ id: 'EmailRecipient' });

/** The fallbacks fill a recipient's missing fields. Subject and body must come from one of the two. */
export const SendEmail = z
  .object({
    from_email: EmailAddress,
    recipients: z.array(EmailRecipient).min(1).max(1_000),
    delay_in_minutes: z.number().gt(0).max(ONE_YEAR_IN_MINUTES).optional(),
    fallback_email_subject: HeaderText.optional(),
    fallback_email_sender_name: HeaderText.optional(),
    fallback_email_body: EmailBody.optional(),
    is_html: IsHtml.describe(
      'Whether the bodies are HTML. If absent, each is that has a complete HTML element, such as `<p>Hi</p>` or `<br>`.',
    ),
  })
  .superRefine(({ recipients, fallback_email_subject, fallback_email_body }, context) => {
    const require = (index: number, field: 'email_subject' | 'email_body') =>
      context.addIssue({
        code: 'custom',
        path: ['recipients', index, field],
        message: `is missing: give it here or as fallback_${field}`,
      });
    for (const [index, recipient] of recipients.entries()) {
      if (recipient.email_subject === undefined && fallback_email_subject === undefined)
        require(index, 'email_subject');
      if (recipient.email_body === undefined && fallback_email_body === undefined) require(index, 'email_body');
    }
  })
  .meta({
    id: 'SendEmail',
    examples: [
      {
        from_email: 'hello@example.org',
        recipients: [{ to_email: 'ada@example.com', email_is_transactional: true }],
        fallback_email_subject: 'Your booking',
        fallback_email_body: 'See you on Friday.',
      },
    ],
  });
export type SendEmail = z.infer<typeof SendEmail>;

export const SendEmailAnswer = z.object({
  data: z.array(z.object({ id: Id, to_email: z.string(), status: z.string() })),
});

/** The stored content of an e-mail outside of sequences. */
export interface EmailContent {
  from_email: string;
  subject: string;
  sender_name: string | null;
  body: string;
  /** Absent in content that was stored before it was said: a body with a complete HTML element is HTML then. */
  is_html?: boolean;
  is_transactional: boolean;
  /** Who else gets it. */
  cc?: string[];
  /** The stored files that go with it. */
  files?: AttachedFile[];
  /** The Message-ID of the e-mail that it answers. */
  in_reply_to?: string;
  /** The Message-IDs of the thread, with that one at the end. */
  references?: string[];
  /** Whether the AI or a workflow wrote it, and no person. */
  is_auto_reply?: boolean;
}
