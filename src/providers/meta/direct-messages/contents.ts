import { z } from 'zod';
import { linesOf } from '../../found-text.rules.ts';
import type { InboundFile, InboundMessage } from '../../sending.ts';
import { storable, truncated } from '../../storable.rules.ts';

const MAX_URL_LENGTH = 4_096;
const MAX_RAW_LENGTH = 32_768;

type Content = Pick<InboundMessage, 'text' | 'files' | 'isDescription' | 'isReaction' | 'raw'>;

/** The kinds of files by Meta's names. */
const FILE_KINDS = { image: 'image', video: 'video', audio: 'audio', file: 'document' } as const;

const AttachedFile = z
  .object({
    type: z.enum(['image', 'video', 'audio', 'file']),
    payload: z.object({ url: z.string().min(1).max(MAX_URL_LENGTH) }),
  })
  .transform(({ type, payload }): InboundFile => ({ kind: FILE_KINDS[type], source: payload.url, name: null }));

/** What is attached and no file, such as a share, a mention in a story or a location. */
const Other = z.object({ type: z.string().regex(/^[a-z_]{1,40}$/) }).loose();

/** Returns what stands for an attachment that is no file: its type, and each field with its value. */
const describedAttachment = (attachment: unknown): string => {
  const { type = 'attachment', ...fields } = Other.safeParse(attachment).data ?? {};
  return [`[${type.replaceAll('_', ' ')}]`, ...linesOf(fields)].join('\n');
};

/** A text, and what is attached to it. */
export const DirectMessageContent = z
  .object({
    text: z.string().transform(storable).catch(''),
    attachments: z.array(z.unknown()).catch([]),
  })
  .refine(({ text, attachments }) => text.trim() !== '' || attachments.length > 0)
  .transform(({ text, attachments }): Content => {
    const read = attachments.map((attachment) => ({ attachment, file: AttachedFile.safeParse(attachment).data }));
    const files = read.flatMap(({ file }) => file ?? []);
    const others = read.flatMap(({ attachment, file }) => (file === undefined ? describedAttachment(attachment) : []));
    return {
      text: [...(text === '' ? [] : [text]), ...others].join('\n'),
      ...(files.length > 0 && { files }),
      ...(text.trim() === '' && others.length > 0 && { isDescription: true }),
    };
  });

/** Returns what stands for a message that is not understood, and the beginning of its raw form. */
export const describedContent = (message: object): Content => ({
  text: '[message of an unsupported type]',
  isDescription: true,
  raw: truncated(storable(JSON.stringify(message)), MAX_RAW_LENGTH),
});

/** Returns what stands for a reaction to a message. One taken back has no emoji. */
export const reactionOf = (action: string, emoji: string | undefined): Content => ({
  text: action === 'unreact' ? '[reaction taken back]' : `[reaction: ${storable(emoji ?? '❤')}]`,
  isDescription: true,
  isReaction: true,
});
