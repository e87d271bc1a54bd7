import type { ReplyFile } from '../../conversations/deliveries.port.ts';
import type { WhatsAppMediaKind } from '../../providers/meta/port.ts';
import { attachedFileOf } from '../sending/attached-files.rules.ts';
import type { WhatsAppPart } from '../sending/content.ts';

/** Base64 makes files a third larger, and many mail servers refuse a mail of more than 25 MB. */
const MAX_MAIL_FILE_BYTES = 17 * 1024 ** 2;
/** Of all media of an MMS, by Twilio's documents. */
const MAX_MMS_BYTES = 5 * 1024 ** 2;
/** Of the caption of a WhatsApp file. */
const MAX_CAPTION_LENGTH = 1_024;

/** The files of a message that go with it, and those that only a link can bring. */
export interface DividedFiles {
  attached: ReplyFile[];
  linked: ReplyFile[];
}

/** Divides the files of an e-mail: those that fit into one go with it. */
export function mailFiles(files: ReplyFile[]): DividedFiles {
  let bytes = 0;
  const fits = ({ size }: ReplyFile) => {
    if (bytes + size > MAX_MAIL_FILE_BYTES) return false;
    bytes += size;
    return true;
  };
  return divided(files, fits);
}

/**
 * Returns the messages of WhatsApp for a reply: one for each file, the first with the text as its caption if there is room
 * and a caption can be.
 */
export function whatsAppParts(text: string, attached: ReplyFile[]): [WhatsAppPart, ...WhatsAppPart[]] {
  const [first, ...others] = attached.flatMap((file) => {
    const kind = whatsAppKindOf(file.mimeType);
    const otherText = withLinks('', [file]);
    return kind === undefined ? [] : [{ ...attachedFileOf(file), kind, otherText }];
  });
  if (first === undefined) return [{ text }];
  const rest = others.map((file) => ({ file }));
  if (text.trim() === '') return [{ file: first }, ...rest];
  if (first.kind !== 'audio' && text.length <= MAX_CAPTION_LENGTH)
    return [{ file: { ...first, caption: text, otherText: `${text}\n${first.otherText}` } }, ...rest];
  return [{ text }, { file: first }, ...rest];
}

/** Divides the files of a WhatsApp message by the types that the Cloud API takes. */
export const whatsAppFiles = (files: ReplyFile[]): DividedFiles =>
  divided(files, ({ mimeType }) => whatsAppKindOf(mimeType) !== undefined);

/** The types that Twilio passes on in an MMS. */
const MMS_TYPES = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'video/mp4',
  'video/quicktime',
  'video/webm',
  'audio/mpeg',
  'audio/mp4',
  'audio/ogg',
  'application/pdf',
  'text/csv',
]);

/** Twilio sends MMS between numbers of the United States and Canada. A messaging service has no number by itself. */
export function mayBeMms(files: ReplyFile[], { to, from }: { to: string; from: string | undefined }): boolean {
  const isInArea = to.startsWith('+1') && (from === undefined || /^(\+1|\d{5,6}$)/.test(from));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return isInArea && bytes <= MAX_MMS_BYTES && files.every(({ mimeType }) => MMS_TYPES.has(mimeType));
}

/** Returns a text with a line for each file that is only linked. */
export const withLinks = (text: string, linked: ReplyFile[]): string =>
  [
    ...(text.trim() === '' && linked.length > 0 ? [] : [text]),
    ...linked.map(({ name, url }) => `${name}: ${url}`),
  ].join('\n');

const WHATSAPP_DOCUMENTS = new Set([
  'application/pdf',
  'text/plain',
  'text/csv',
  'application/vnd.ms-excel',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
]);

/** Returns as what the Cloud API takes a file of this type. Returns undefined if it does not. */
function whatsAppKindOf(mimeType: string): WhatsAppMediaKind | undefined {
  if (mimeType === 'image/jpeg' || mimeType === 'image/png') return 'image';
  if (mimeType === 'video/mp4') return 'video';
  if (mimeType === 'audio/mpeg' || mimeType === 'audio/mp4' || mimeType === 'audio/ogg') return 'audio';
  return WHATSAPP_DOCUMENTS.has(mimeType) ? 'document' : undefined;
}

/** Divides files by whether they go with a message. */
export function divided(files: ReplyFile[], isAttached: (file: ReplyFile) => boolean): DividedFiles {
  const attached = files.filter(isAttached);
  return { attached, linked: files.filter((file) => !attached.includes(file)) };
}
