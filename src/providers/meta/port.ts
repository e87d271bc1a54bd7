import type { Sender } from '../sending.ts';

export interface WhatsAppTemplate {
  name: string;
  language: string;
  components: WhatsAppComponent[];
}

/**
 * A template with every placeholder filled, or free text. WhatsApp accepts free text only within 24 hours of the
 * contact's last message.
 */
export type WhatsAppBody = { template: WhatsAppTemplate } | { text: string };

/** A WhatsApp message ready to send. */
export type WhatsAppMessage = WhatsAppBody & {
  deliveryId: string;
  /** E.164. */
  to: string;
  phoneNumberId: string;
};

/** A component of a template message, in the format of the Cloud API. */
export interface WhatsAppComponent {
  type: 'header' | 'body' | 'button';
  sub_type?: 'url';
  index?: string;
  parameters: Record<string, unknown>[];
}

export type WhatsAppSender = Sender<WhatsAppMessage>;
