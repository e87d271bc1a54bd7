import type { DirectMessageBody } from '../../providers/meta/direct-messages/port.ts';
import type { WhatsAppMediaKind, WhatsAppTemplate } from '../../providers/meta/port.ts';
import type { ProactiveChannel } from '../contract.ts';
import type { EmailContent } from '../email/schema.ts';
import type { AttachedFile } from './attached-files.rules.ts';

/** The files of an MMS, as the provider fetches them. `text` says the same with links, where the number sends no MMS. */
export interface MmsFiles {
  urls: string[];
  text: string;
}

export interface SmsContent {
  body: string;
  /** The number to send from, if other than the connection's. */
  from?: string;
  media?: MmsFiles;
}

/** A text, or a file with its caption. `otherText` says the same with a link, where WhatsApp refuses the file. */
export type WhatsAppPart =
  | { text: string }
  | { file: AttachedFile & { kind: WhatsAppMediaKind; caption?: string; otherText?: string } };

export type WhatsAppContent = ({ template: WhatsAppTemplate } | WhatsAppPart) & {
  phoneNumberId: string;
  /** The deliveries of the further files of the same message. */
  parts?: string[];
};

/** On Messenger and Instagram. */
export type DirectContent = DirectMessageBody & {
  /** The deliveries of what else the same message is made of. */
  parts?: string[];
};

/** A text with its files, in a thread of Slack. */
export interface SlackContent {
  text: string;
  files?: AttachedFile[];
}

export interface CallContent {
  agentId: string;
}

/** The content of what an org sends to a contact first. */
export type ProactiveContent = Extract<MessageContent, { channel: ProactiveChannel }>;

/** The content to send on each channel, with every placeholder filled. */
export type MessageContent =
  | { channel: 'email'; content: EmailContent }
  | { channel: 'sms'; content: SmsContent }
  | { channel: 'whatsapp'; content: WhatsAppContent }
  | { channel: 'voice'; content: CallContent }
  | { channel: 'messenger'; content: DirectContent }
  | { channel: 'instagram'; content: DirectContent }
  | { channel: 'slack'; content: SlackContent };
