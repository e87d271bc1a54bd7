import {
  MAX_RENDERED_LENGTH,
  parseTemplate,
  renderHeader,
  renderHtml,
  renderText,
  type Template,
  type TemplateContact,
} from '../../contacts/templates/rules.ts';
import type { ProactiveChannel } from '../../deliveries/contract.ts';
import type { ProactiveContent } from '../../deliveries/sending/content.ts';
import { MAX_SMS_LENGTH } from '../../deliveries/sending/lengths.rules.ts';
import { withUnsubscribePlaceholder } from '../../deliveries/sending/unsubscribe-link.rules.ts';
import { looksLikeHtml } from '../../html/markup.rules.ts';
import type { StepAction } from './actions.schema.ts';
import { renderTemplate } from './whatsapp-template.rules.ts';

/** The channel of each type of step. */
export const CHANNEL_OF: Record<StepAction['type'], ProactiveChannel> = {
  send_emails: 'email',
  make_phone_calls: 'voice',
  send_sms_messages: 'sms',
  send_whatsapp_messages: 'whatsapp',
};

/** Returns the sending address or number of a step. `fallback` is the default sender of its channel. */
export function senderOf(action: StepAction, fallback: string | null): string | null {
  if (action.type === 'send_emails') return action.data.from_email.toLowerCase();
  return action.type === 'send_whatsapp_messages' ? action.data.phone_number_id : fallback;
}

/** Whether the content of a step depends on the contact. */
export function isPersonal({ type, data }: StepAction): boolean {
  switch (type) {
    case 'send_emails':
      return [data.email_subject, data.email_body, data.email_sender_name].some((text) => text.includes('{{'));
    case 'send_sms_messages':
      return data.message.includes('{{');
    case 'send_whatsapp_messages':
      return true;
    case 'make_phone_calls':
      return false;
  }
}

/** The content of a step for a contact, or the reason why it cannot be sent to them. */
export type Composition = { ok: ProactiveContent } | { problem: string };

/** Returns a function composing the content of a step for a contact. The templates are parsed once for all contacts. */
export function contentOf({ type, data }: StepAction): (contact: TemplateContact) => Composition {
  switch (type) {
    case 'send_emails': {
      const subjectTemplate = templateOf(data.email_subject);
      const bodyTemplate = templateOf(withUnsubscribePlaceholder(data.email_body));
      const nameTemplate = templateOf(data.email_sender_name);
      const isHtml = data.is_html ?? looksLikeHtml(data.email_body);
      const renderBody = isHtml ? renderHtml : renderText;
      return (contact) => {
        const subject = renderHeader(subjectTemplate, contact);
        const sender_name = renderHeader(nameTemplate, contact);
        const body = renderBody(bodyTemplate, contact);
        if (subject === undefined || sender_name === undefined || body === undefined) return OVERLONG;
        return composed({
          channel: 'email',
          content: {
            from_email: data.from_email,
            subject,
            sender_name,
            body,
            is_html: isHtml,
            is_transactional: data.email_is_transactional,
          },
        });
      };
    }
    case 'send_sms_messages': {
      const message = templateOf(data.message);
      return (contact) => {
        const body = renderText(message, contact);
        if (body === undefined) return OVERLONG;
        return body.length > MAX_SMS_LENGTH ? tooLong(body) : composed({ channel: 'sms', content: { body } });
      };
    }
    case 'send_whatsapp_messages': {
      const { name, language, parameters } = data.template;
      return (contact) =>
        composed({
          channel: 'whatsapp',
          content: {
            phoneNumberId: data.phone_number_id,
            template: { name, language, components: renderTemplate(parameters, contact) },
          },
        });
    }
    case 'make_phone_calls':
      return () => composed({ channel: 'voice', content: { agentId: data.aiPhoneAgentId } });
  }
}

/** Parses a template, checked already when it was saved. Text that does not parse is sent unchanged. */
function templateOf(text: string): Template {
  const parsed = parseTemplate(text);
  return 'ok' in parsed ? parsed.ok : [text];
}

const composed = (ok: ProactiveContent): Composition => ({ ok });

const OVERLONG: Composition = {
  problem: `a text has more than ${MAX_RENDERED_LENGTH} characters with the values of the contact`,
};

/** Values of a contact may make a text longer than it was when saved. */
const tooLong = ({ length }: string): Composition => ({
  problem: `the text has ${length} characters with the values of the contact, and an SMS has at most ${MAX_SMS_LENGTH}`,
});
