import { z } from 'zod';
import type { InboundFile, InboundMessage } from '../sending.ts';
import { storable, truncated } from '../storable.rules.ts';
import { MessageId } from './api.ts';

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
  z.object({ nfm_reply: z.object({ body: Text }) }).transform(({ nfm_reply }) => written(nfm_reply.body)),
  z.unknown().transform(() => described('interactive message')),
]);

/** The content of each known type of message, in the field of the type's name. */
const CONTENTS = new Map<string, z.ZodType<Content>>([
  ['text', z.object({ body: Text }).transform(({ body }) => written(body))],
  ['button', z.object({ text: Text }).transform(({ text }) => written(text))],
  ['interactive', Choice],
  ['image', Media.transform(fileOf('image'))],
  ['audio', Media.transform(fileOf('audio'))],
  ['video', Media.transform(fileOf('video'))],
  ['document', Media.transform(fileOf('document'))],
  ['sticker', Media.transform(fileOf('sticker'))],
  ['location', Location],
  ['contacts', Cards],
]);

/**
 * Reads a message of a callback. One of an unknown type is described, so that nothing is lost. Returns undefined for what
 * is no message, and for a known type in another format than Meta's.
 */
export function readMetaMessage(message: unknown, received: ReceivingNumber): InboundMessage | undefined {
  const head = Head.safeParse(message).data;
  if (head === undefined || NO_MESSAGES.has(head.type)) return undefined;
  const { id: providerId, from, type } = head;
  const content = contentOf(type, message);
  const { display_phone_number: to, phone_number_id: toId } = received;
  return content && { providerId, from: `+${from}`, to, toId, ...content };
}

function contentOf(type: string, message: unknown): Content | undefined {
  const known = CONTENTS.get(type);
  if (known !== undefined) return z.object({ [type]: known }).safeParse(message).data?.[type];
  return described(
    /^[a-z_]{1,40}$/.test(type) && type !== 'unsupported'
      ? type.replaceAll('_', ' ')
      : 'message of an unsupported type',
  );
}
