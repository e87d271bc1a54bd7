import type { Sender } from '../sending.ts';

export interface WhatsAppTemplate {
  name: string;
  language: string;
  components: WhatsAppComponent[];
}

/** A template as Meta has it. */
export interface MetaTemplate {
  name: string;
  language: string;
  /** Meta's own value: only APPROVED templates can be sent. */
  status: string;
  parameterFormat: 'positional' | 'named';
  /** The kind of a header that is no text, such as `image` or `location`. */
  mediaHeader: string | undefined;
  /** What the contact reads, with placeholders. */
  texts: { header: string; body: string; footer: string; buttons: string[] };
  /**
   * The placeholders for variables, in order: those of the texts by name, the fields of a header that is no text, and the
   * indices of buttons with a placeholder in their link.
   */
  places: { header: string[]; body: string[]; buttons: string[] };
}

/** As what the Cloud API takes a file. */
export type WhatsAppMediaKind = 'image' | 'video' | 'audio' | 'document';

/** A file to be uploaded, with its caption. Voices have none. `otherText` is sent in its place if it is refused. */
export interface WhatsAppMedia {
  kind: WhatsAppMediaKind;
  bytes: Uint8Array;
  name: string;
  mimeType: string;
  caption?: string | undefined;
  otherText?: string | undefined;
}

/**
 * A template with every placeholder filled, free text, or a file. WhatsApp accepts the latter two only within 24 hours
 * of the contact's last message.
 */
export type WhatsAppBody = { template: WhatsAppTemplate } | { text: string } | { media: WhatsAppMedia };

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
