import { elementAt } from '../../collections/checked-access.ts';
import { SendEmail, SendEmailAnswer } from '../../deliveries/email/schema.ts';
import { requestEmails } from '../../deliveries/email/service.ts';
import { localAction } from './action.ts';
import { DeliveryOutput } from './outputs.ts';

export const sendEmail = localAction({
  type: 'send-email',
  title: 'Send e-mails',
  description:
    'As POST /email: each recipient gets a separate e-mail. The id and status are those of the first. Values put into an HTML body are escaped.',
  input: SendEmail.strict(),
  output: DeliveryOutput.extend(SendEmailAnswer.shape),
  async apply(trx, { sending: { isDevelopment } }, { orgId, dedupeKey }, input) {
    const { data } = await requestEmails(trx, orgId, asWritten(input), { isDevelopment, requestKey: dedupeKey });
    const { id, status } = elementAt(data, 0);
    return { id, status, data };
  },
});

/** Recipients that come from a reference were not written by the step's author: their bodies are text unless the step says otherwise. */
const asWritten = ({ is_html, recipients, ...email }: SendEmail): SendEmail => ({
  ...email,
  is_html: is_html ?? false,
  recipients: recipients.map((recipient) => ({ ...recipient, is_html: recipient.is_html ?? is_html ?? false })),
});
