import type { ReplyFile } from '../../conversations/deliveries.port.ts';
import type { DirectFileKind, DirectMessageBody } from '../../providers/meta/direct-messages/port.ts';
import { type DividedFiles, divided } from './reply-files.rules.ts';

type DirectChannel = 'messenger' | 'instagram';

/** Of the text of one message in UTF-8, by Meta's documents. Messenger counts characters, of which none has more bytes than these allow. */
const MAX_TEXT_BYTES: Record<DirectChannel, number> = { messenger: 2_000, instagram: 1_000 };

const IMAGES = ['image/jpeg', 'image/png', 'image/gif'];
const AUDIO = ['audio/mpeg', 'audio/mp4', 'audio/wav', 'audio/aac'];
/** By the channel's documents. Instagram takes no other files than these and PDF. */
const KINDS: Record<DirectChannel, Map<string, DirectFileKind>> = {
  messenger: new Map<string, DirectFileKind>([
    ...IMAGES.map((type): [string, DirectFileKind] => [type, 'image']),
    ['video/mp4', 'video'],
    ...AUDIO.map((type): [string, DirectFileKind] => [type, 'audio']),
  ]),
  instagram: new Map<string, DirectFileKind>([
    ...IMAGES.map((type): [string, DirectFileKind] => [type, 'image']),
    ['video/mp4', 'video'],
    ['video/quicktime', 'video'],
    ['video/webm', 'video'],
    ['audio/mp4', 'audio'],
    ['audio/wav', 'audio'],
    ['audio/aac', 'audio'],
    ['application/pdf', 'file'],
  ]),
};

/** Returns as what a channel takes a file. Messenger takes any other one as a file as well. */
const kindOf = (channel: DirectChannel, { mimeType }: ReplyFile): DirectFileKind | undefined =>
  KINDS[channel].get(mimeType) ?? (channel === 'messenger' ? 'file' : undefined);

/** Divides the files of a message by the types that the channel takes. */
export const directFiles = (channel: DirectChannel, files: ReplyFile[]): DividedFiles =>
  divided(files, (file) => kindOf(channel, file) !== undefined);

/** Returns the messages for a reply: as many texts as it takes, then one for each file. */
export function directParts(
  channel: DirectChannel,
  text: string,
  attached: ReplyFile[],
): [DirectMessageBody, ...DirectMessageBody[]] {
  const texts = text.trim() === '' && attached.length > 0 ? [] : dividedText(text, MAX_TEXT_BYTES[channel]);
  const files = attached.flatMap((file) => {
    const kind = kindOf(channel, file);
    return kind === undefined ? [] : [{ file: { kind, url: file.url } }];
  });
  const [first = { text }, ...more]: DirectMessageBody[] = [...texts.map((part) => ({ text: part })), ...files];
  return [first, ...more];
}

/** Divides a text into parts of at most so many bytes: between paragraphs, lines or words if there are any. */
export function dividedText(text: string, maxBytes: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (Buffer.byteLength(rest) > maxBytes) {
    const head = headOf(rest, maxBytes);
    const cut = cutIn(head);
    const part = head.slice(0, cut).trimEnd();
    if (part !== '') parts.push(part);
    rest = rest.slice(cut).trimStart();
  }
  return rest === '' ? parts : [...parts, rest];
}

/** Returns the longest beginning of at most so many bytes, without half of a character. */
function headOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.slice(0, maxBytes));
  let end = Math.min(maxBytes, bytes.length);
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString('utf8');
}

/** Returns where to divide a text: in its second half, if it has a break there. */
function cutIn(head: string): number {
  const breaks = ['\n\n', '\n', ' '].map((separator) => head.lastIndexOf(separator));
  return breaks.find((position) => position > head.length / 2) ?? head.length;
}
