import type { WhatsAppBody } from '../../providers/meta/port.ts';
import type { EmailContent } from '../email/schema.ts';

export interface SmsContent {
  body: string;
  /** The number to send from, if other than the connection's. */
  from?: string;
}

export type WhatsAppContent = WhatsAppBody & { phoneNumberId: string };

export interface CallContent {
  agentId: string;
}

/** The content to send on each channel, with every placeholder filled. */
export type MessageContent =
  | { channel: 'email'; content: EmailContent }
  | { channel: 'sms'; content: SmsContent }
  | { channel: 'whatsapp'; content: WhatsAppContent }
  | { channel: 'voice'; content: CallContent };
