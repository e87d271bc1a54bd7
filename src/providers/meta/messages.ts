import { z } from 'zod';
import { linesOf } from '../found-text.rules.ts';
import type { InboundFile, InboundMessage } from '../sending.ts';
import { storable, truncated } from '../storable.rules.ts';
import { MessageId, MetaError, reasonOf } from './api.ts';
import { FlowAnswers, Order } from './structured-messages.ts';
import { USER_ID } from './user-ids.rules.ts';

const MAX_NAME_LENGTH = 200;
const MAX_CONTACTS = 10;
const MAX_EMOJI_LENGTH = 64;
/** Shown of the reasons why Meta could not pass a message on. */
const MAX_ERRORS = 5;
/** In UTF-16 units, of the raw form of a message that is not understood. */
const MAX_RAW_LENGTH = 32_768;

/** What else comes as a message: it asks for no answer, or nobody has written it. */
const NO_MESSAGES = new Set(['system', 'request_welcome']);

/** Which number of ours a message came to. */
interface ReceivingNumber {
  display_phone_number: string;
  phone_number_id?: string | undefined;
}

type Content = Pick<InboundMessage, 'text' | 'files' | 'isDescription' | 'isReaction' | 'change' | 'raw'>;

const Text = z.string().transform(storable);
const OptionalText = Text.optional().catch(undefined);
const Media = z.object({
  id: z.string().regex(/^[\w.-]{1,128}$/),
  caption: OptionalText,
  filename: OptionalText,
});
/** A phone number in digits. */
export const WhatsAppNumber = z.string().regex(/^\d{5,15}$/);
export const UserId = z.string().regex(USER_ID);
/** Seconds of Unix time as digits. */
const Timestamp = z
  .string()
  .regex(/^\d{1,11}$/)
  .transform((seconds) => new Date(Number(seconds) * 1_000));
const Head = z.object({
  id: MessageId,
  from: WhatsAppNumber.optional().catch(undefined),
  from_user_id: UserId.optional().catch(undefined),
  type: z.string(),
  timestamp: Timestamp.optional().catch(undefined),
});

const described = (description: string): Content => ({ text: `[${description}]`, isDescription: true });
const written = (text: string): Content => ({ text });

const fileOf =
  (kind: InboundFile['kind']) =>
  ({ id, caption = '', filename }: z.infer<typeof Media>): Content => ({
    text: caption,
    files: [{ kind, source: id, name: filename === undefined ? null : truncated(filename, MAX_NAME_LENGTH) }],
  });

const Location = z
  .object({ latitude: z.number(), longitude: z.number(), name: OptionalText, address: OptionalText })
  .transform(({ latitude, longitude, name, address }) =>
    described(`location: ${[name, address, latitude, longitude].filter((part) => part !== undefined).join(', ')}`),
  );

const Card = z
  .object({
    name: z.object({ formatted_name: OptionalText }).optional().catch(undefined),
    phones: z.array(z.object({ phone: OptionalText })).catch([]),
  })
  .transform(({ name, phones }) =>
    [name?.formatted_name, ...phones.map(({ phone }) => phone)].filter((part) => part !== undefined).join(', '),
  );
const Cards = z.array(Card).transform((cards) => described(`contact card: ${cards.slice(0, MAX_CONTACTS).join('; ')}`));

/** An emoji, which may be many characters. One taken back has none. */
const Reaction = z.object({ emoji: Text.pipe(z.string().max(MAX_EMOJI_LENGTH)).optional() }).transform(({ emoji }) => ({
  ...described(emoji ? `reaction: ${emoji}` : 'reaction taken back'),
  isReaction: true,
}));

const Title = z.object({ title: Text }).transform(({ title }) => written(title));
/** What a contact chose or filled in. Meta adds kinds. */
const Choice = z.union([
  z.object({ button_reply: Title }).transform(({ button_reply }) => button_reply),
  z.object({ list_reply: Title }).transform(({ list_reply }) => list_reply),
  z.object({ nfm_reply: FlowAnswers }).transform(({ nfm_reply }) => written(nfm_reply)),
]);

/** The content of each known type of message, in the field of the type's name. */
const CONTENTS = new Map<string, z.ZodType<Content>>([
  ['text', z.object({ body: Text }).transform(({ body }) => written(body))],
  ['button', z.object({ text: Text }).transform(({ text }) => written(text))],
  ['interactive', Choice],
  ['order', Order.transform(written)],
  ['image', Media.transform(fileOf('image'))],
  ['audio', Media.transform(fileOf('audio'))],
  ['video', Media.transform(fileOf('video'))],
  ['document', Media.transform(fileOf('document'))],
  ['sticker', Media.transform(fileOf('sticker'))],
  ['location', Location],
  ['contacts', Cards],
  ['reaction', Reaction],
]);

/**
 * Reads a message of a callback. One of an unknown type or format is described, with the text found in it, and keeps its
 * raw form. Returns undefined for what is no message.
 */
export function readMetaMessage(
  message: unknown,
  received: ReceivingNumber,
  writers: Writer[] = [],
): InboundMessage | undefined {
  const head = Head.safeParse(message).data;
  if (head === undefined || NO_MESSAGES.has(head.type)) return undefined;
  const sender = senderOf(head, writers);
  if (sender === undefined) return undefined;
  const { id: providerId, type, timestamp: sentAt } = head;
  const { display_phone_number: to, phone_number_id: toId } = received;
  const content = changeIn(type, message) ?? contentOf(type, message);
  return { providerId, ...sender, to, toId, sentAt, ...content };
}

/** Who wrote, as the callback describes them beside the messages. */
export interface Writer {
  wa_id?: string | undefined;
  user_id?: string | undefined;
  name?: string | undefined;
}

type Sender = Pick<InboundMessage, 'from' | 'userId' | 'name'>;

/** Returns the sender by the phone number, or by WhatsApp's id of a user who shows none. */
function senderOf({ from, from_user_id }: z.infer<typeof Head>, writers: Writer[]): Sender | undefined {
  const only = from === undefined && from_user_id === undefined && writers.length === 1 ? writers[0] : undefined;
  const number = from ?? only?.wa_id;
  const writer =
    only ??
    writers.find(({ wa_id }) => wa_id !== undefined && wa_id === number) ??
    writers.find(({ user_id }) => user_id !== undefined && user_id === from_user_id);
  const userId = from_user_id ?? writer?.user_id;
  const address = number === undefined ? userId : `+${number}`;
  return address === undefined ? undefined : { from: address, userId, name: writer?.name };
}

/** An edit of a message, or its deletion. */
const Change = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('edit'),
    edit: z.object({ original_message_id: MessageId, message: z.looseObject({ type: z.string() }) }),
  }),
  z.object({ type: z.literal('revoke'), revoke: z.object({ original_message_id: MessageId }) }),
]);

/** Returns how a message changes another one. Returns undefined if it is no change, or one that cannot be read. */
function changeIn(type: string, message: unknown): Content | undefined {
  if (type !== 'edit' && type !== 'revoke') return undefined;
  const change = Change.safeParse(message).data;
  if (change?.type === 'revoke')
    return { text: '', change: { kind: 'deletion', of: change.revoke.original_message_id } };
  if (change?.type !== 'edit') return undefined;
  const { original_message_id: of, message: edited } = change.edit;
  const content = knownContentOf(edited.type, edited);
  return content && { ...content, change: { kind: 'edit', of } };
}

const contentOf = (type: string, message: unknown): Content =>
  knownContentOf(type, message) ?? { ...placeholderOf(type, message), raw: rawOf(message) };

function knownContentOf(type: string, message: unknown): Content | undefined {
  const known = CONTENTS.get(type);
  return known && z.object({ [type]: known }).safeParse(message).data?.[type];
}

/** Returns what stands for a message that is not understood: its type, and each field with its value. */
function placeholderOf(type: string, message: unknown): Content {
  const isNamed = /^[a-z_]{1,40}$/.test(type) && type !== 'unsupported';
  const name = type === 'interactive' ? 'interactive message' : type.replaceAll('_', ' ');
  const title = `[${isNamed ? name : 'message of an unsupported type'}]`;
  const details = Fields.safeParse(message).data?.[type];
  const errors = Errors.safeParse(message).data?.errors ?? [];
  const text = [title, ...linesOf(details), ...errors.slice(0, MAX_ERRORS).map((error) => reasonOf(error))].join('\n');
  return { text, isDescription: true };
}

const Fields = z.record(z.string(), z.unknown());
const Errors = z.object({ errors: z.array(MetaError) });

/** Returns the beginning of a message as it came. */
function rawOf(message: unknown): string {
  try {
    return truncated(storable(JSON.stringify(message)), MAX_RAW_LENGTH);
  } catch {
    return '[nested too deep]';
  }
}
