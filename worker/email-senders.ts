import type { EmailSenders } from '../activities/email-senders.ts';
import type { Config } from '../src/config.ts';
import { createSmtpSender, smtpSettingsOf } from '../src/providers/smtp.ts';

/** Senders by what their settings are, so that each mail server has one pool however many orgs use it. */
export function createEmailSenders({ SMTP_URL }: Config): EmailSenders {
  const fallback = SMTP_URL === undefined ? undefined : createSmtpSender(smtpSettingsOf(SMTP_URL));
  return {
    of: async () => fallback,
    close: () => fallback?.close(),
  };
}
