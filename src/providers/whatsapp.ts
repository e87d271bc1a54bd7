import type { Sender } from './sending.ts';

/** A WhatsApp template message ready to go out: every place is filled. */
export interface WhatsAppMessage {
  deliveryId: string;
  /** E.164. */
  to: string;
  phoneNumberId: string;
  template: { name: string; language: string; components: WhatsAppComponent[] };
}

/** A component of a template message as the Cloud API takes it. */
export interface WhatsAppComponent {
  type: 'header' | 'body' | 'button';
  sub_type?: 'url';
  index?: string;
  parameters: Record<string, unknown>[];
}

export type WhatsAppSender = Sender<WhatsAppMessage>;
