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
