import { z } from 'zod';
import type { InboundFile, InboundMessage } from '../sending.ts';
import { storable, truncated } from '../storable.rules.ts';
import { MessageId } from './api.ts';
import { linesOf } from './found-text.rules.ts';
import { FlowAnswers, Order } from './structured-messages.ts';

const MAX_NAME_LENGTH = 200;
const MAX_CONTACTS = 10;

/** What else comes as a message: it asks for no answer, or nobody has written it. */
const NO_MESSAGES = new Set(['reaction', 'system', 'request_welcome']);

/** Which number of ours a message came to. */
interface ReceivingNumber {
  display_phone_number: string;
  phone_number_id?: string | undefined;
}

type Content = Pick<InboundMessage, 'text' | 'files' | 'isDescription'>;

const Text = z.string().transform(storable);
const OptionalText = Text.optional().catch(undefined);
const Media = z.object({
  id: z.string().regex(/^[\w.-]{1,128}$/),
  caption: OptionalText,
  filename: OptionalText,
});
const Head = z.object({ id: MessageId, from: z.string().regex(/^\d{5,15}$/), type: z.string() });

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
]);

/**
 * Reads a message of a callback. One of an unknown type or format is described, with the text found in it. Returns
 * undefined for what is no message.
 */
export function readMetaMessage(message: unknown, received: ReceivingNumber): InboundMessage | undefined {
  const head = Head.safeParse(message).data;
  if (head === undefined || NO_MESSAGES.has(head.type)) return undefined;
  const { id: providerId, from, type } = head;
  const content = contentOf(type, message);
  const { display_phone_number: to, phone_number_id: toId } = received;
  return { providerId, from: `+${from}`, to, toId, ...content };
}

function contentOf(type: string, message: unknown): Content {
  const known = CONTENTS.get(type);
  const content = known && z.object({ [type]: known }).safeParse(message).data?.[type];
  return content ?? placeholderOf(type, message);
}

/** Returns what stands for a message that is not understood: its type, and each field with its value. */
function placeholderOf(type: string, message: unknown): Content {
  const isNamed = /^[a-z_]{1,40}$/.test(type) && type !== 'unsupported';
  const name = type === 'interactive' ? 'interactive message' : type.replaceAll('_', ' ');
  const title = `[${isNamed ? name : 'message of an unsupported type'}]`;
  const found = isNamed ? linesOf(z.record(z.string(), z.unknown()).safeParse(message).data?.[type]) : [];
  return { text: [title, ...found].map(storable).join('\n'), isDescription: true };
}
