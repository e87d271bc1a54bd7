/** A sequence step that sends an e-mail. */
export const emailStep = (subject: string, delayInMinutes = 0, data: Record<string, unknown> = {}) => ({
  delay_in_minutes: delayInMinutes,
  action: {
    type: 'send_emails',
    data: {
      from_email: 'hello@acme.example',
      email_sender_name: 'Acme',
      email_subject: subject,
      email_body: `This is ${subject}.`,
      email_is_transactional: false,
      ...data,
    },
  },
});

export const inDomain = (...domains: string[]) => ({
  or: [{ and: [{ type: 'contacts_email_domain_name_in', domain_name_in: domains }] }],
});

/** A sequence step that sends an SMS. */
export const smsStep = (message: string, delayInMinutes = 0) => ({
  delay_in_minutes: delayInMinutes,
  action: { type: 'send_sms_messages', data: { message } },
});

/** The time of day that a zone's clocks show now, or so many minutes from now, as HH:mm. */
export const timeIn = (timeZone: string, inMinutes = 0): string =>
  new Date(Date.now() + inMinutes * 60_000).toLocaleTimeString('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
  });

/** A zone where it is about noon, so that no test meets a midnight. */
export const zoneAtNoon = (): string => {
  const hours = 12 - new Date().getUTCHours();
  return `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
};
