import {
  parseTemplate,
  renderHeader,
  renderHtml,
  renderText,
  type Template,
  type TemplateContact,
} from '../../contacts/templates/rules.ts';
import type { Channel } from '../../deliveries/contract.ts';
import type { MessageContent } from '../../deliveries/sending/content.ts';
import { looksLikeHtml } from '../../providers/email/html.rules.ts';
import type { StepAction } from './actions.schema.ts';
import { renderTemplate } from './whatsapp-template.rules.ts';

/** The channel of each type of step. */
export const CHANNEL_OF: Record<StepAction['type'], Channel> = {
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

/** Returns a function composing the content of a step for a contact. The templates are parsed once for all contacts. */
export function contentOf({ type, data }: StepAction): (contact: TemplateContact) => MessageContent {
  switch (type) {
    case 'send_emails': {
      const subject = templateOf(data.email_subject);
      const body = templateOf(data.email_body);
      const senderName = templateOf(data.email_sender_name);
      const isHtml = looksLikeHtml(data.email_body);
      const renderBody = isHtml ? renderHtml : renderText;
      return (contact) => ({
        channel: 'email',
        content: {
          from_email: data.from_email,
          subject: renderHeader(subject, contact),
          sender_name: renderHeader(senderName, contact),
          body: renderBody(body, contact),
          is_html: isHtml,
          is_transactional: data.email_is_transactional,
        },
      });
    }
    case 'send_sms_messages': {
      const message = templateOf(data.message);
      return (contact) => ({
        channel: 'sms',
        content: { body: renderText(message, contact).slice(0, MAX_SMS_LENGTH) },
      });
    }
    case 'send_whatsapp_messages': {
      const { name, language, parameters } = data.template;
      return (contact) => ({
        channel: 'whatsapp',
        content: {
          phoneNumberId: data.phone_number_id,
          template: { name, language, components: renderTemplate(parameters, contact) },
        },
      });
    }
    case 'make_phone_calls':
      return () => ({ channel: 'voice', content: { agentId: data.aiPhoneAgentId } });
  }
}

/** Parses a template, checked already when it was saved. Text that does not parse is sent unchanged. */
function templateOf(text: string): Template {
  const parsed = parseTemplate(text);
  return 'ok' in parsed ? parsed.ok : [text];
}

/** Twilio's limit. Values of a contact may make a text longer than it was when saved. */
const MAX_SMS_LENGTH = 1_600;
