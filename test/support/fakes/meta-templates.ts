import { z } from 'zod';

/** A template as Meta keeps it. */
export interface FakeTemplate {
  id: string;
  name: string;
  language: string;
  status?: string;
  parameter_format?: 'POSITIONAL' | 'NAMED';
  components: {
    type: string;
    format?: string;
    text?: string;
    buttons?: { type: string; text?: string; url?: string }[];
  }[];
}

export interface Refusal {
  status: number;
  code?: number;
  message?: string;
  details?: string;
  retryAfter?: string;
}

const Link = z.strictObject({ link: z.url({ protocol: /^https?$/ }) });
const Degrees = z.string().regex(/^-?\d+(\.\d+)?$/);
const Parameter = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string(), parameter_name: z.string().optional() }),
  z.strictObject({ type: z.literal('image'), image: Link }),
  z.strictObject({ type: z.literal('video'), video: Link }),
  z.strictObject({ type: z.literal('document'), document: Link }),
  z.strictObject({
    type: z.literal('location'),
    location: z.strictObject({ latitude: Degrees, longitude: Degrees, name: z.string(), address: z.string() }),
  }),
]);
const Component = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['header', 'body']), parameters: z.array(Parameter) }),
  z.strictObject({
    type: z.literal('button'),
    sub_type: z.literal('url'),
    index: z.string().regex(/^\d$/),
    parameters: z.array(Parameter),
  }),
]);
const SentTemplate = z.strictObject({
  name: z.string(),
  language: z.strictObject({ code: z.string() }),
  components: z.array(Component).default([]),
});
export type SentTemplate = z.infer<typeof SentTemplate>;

const Addressed = z.strictObject({
  messaging_product: z.literal('whatsapp'),
  recipient_type: z.literal('individual'),
  to: z
    .string()
    .regex(/^\+?[1-9]\d{5,14}$/)
    .optional(),
  /** A user by id. `to` wins if both are there. */
  recipient: z
    .string()
    .regex(/^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/)
    .optional(),
  biz_opaque_callback_data: z.string().max(512).optional(),
});

const MediaId = z.string().regex(/^\d+$/);
const Caption = z.string().max(1024).optional();

/** What POST /{phone_number_id}/messages takes of a template message, a text or a file, and nothing else. */
export const SendBody = z.discriminatedUnion('type', [
  Addressed.extend({ type: z.literal('template'), template: SentTemplate }),
  Addressed.extend({ type: z.literal('text'), text: z.strictObject({ body: z.string().min(1).max(4096) }) }),
  Addressed.extend({ type: z.literal('image'), image: z.strictObject({ id: MediaId, caption: Caption }) }),
  Addressed.extend({ type: z.literal('video'), video: z.strictObject({ id: MediaId, caption: Caption }) }),
  Addressed.extend({ type: z.literal('audio'), audio: z.strictObject({ id: MediaId }) }),
  Addressed.extend({
    type: z.literal('document'),
    document: z.strictObject({ id: MediaId, caption: Caption, filename: z.string().optional() }),
  }),
]);

/** The file of a message, by the id of its upload. */
export function fileIn(body: z.infer<typeof SendBody>): { id: string; caption?: string | undefined } | undefined {
  if (body.type === 'image') return body.image;
  if (body.type === 'video') return body.video;
  if (body.type === 'audio') return body.audio;
  return body.type === 'document' ? body.document : undefined;
}

/** The types that an upload may have, by what the file is sent as. */
export const UPLOADED_TYPES: Record<string, string[]> = {
  image: ['image/jpeg', 'image/png'],
  video: ['video/mp4', 'video/3gpp'],
  audio: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg'],
  document: [
    'text/plain',
    'application/pdf',
    'application/vnd.ms-excel',
    'application/msword',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  ],
};

/** Meta's objection to a template message, in its own codes and words. Undefined where it has none. */
export function refusalOf(
  templates: FakeTemplate[],
  { name, language, components }: SentTemplate,
): Refusal | undefined {
  const template = templates.find((known) => known.name === name && known.language === language.code);
  if (template === undefined) {
    return { ...error(132001, 'Template name does not exist in the translation'), status: 404 };
  }
  for (const { type, format = 'TEXT', text, buttons = [] } of template.components) {
    const places = placesIn(text);
    if (type === 'HEADER' || type === 'BODY') {
      const sent = components.find((component) => component.type === type.toLowerCase())?.parameters ?? [];
      if (format === 'TEXT' && sent.length !== places.length) return miscount(type, sent.length, places.length);
      if (format !== 'TEXT' && sent[0]?.type !== format.toLowerCase()) return mismatch(format, sent[0]?.type);
      const names = sent.map((parameter) => (parameter.type === 'text' ? parameter.parameter_name : undefined));
      if (template.parameter_format === 'NAMED' && places.some((place) => !names.includes(place))) {
        return error(100, 'Invalid parameter', 'Parameter name is missing or empty');
      }
    }
    for (const [index, { url }] of buttons.entries()) {
      const sent = components.find((part) => part.type === 'button' && part.index === String(index))?.parameters ?? [];
      if (sent.length < placesIn(url).length) {
        const details = `buttons: Button at index ${index} of type Url requires a parameter`;
        return error(131008, 'Required parameter is missing', details);
      }
    }
  }
  const texts = components
    .flatMap(({ parameters }) => parameters)
    .flatMap((parameter) => (parameter.type === 'text' ? [parameter.text] : []));
  if (texts.includes('')) {
    return error(131008, 'Required parameter is missing', 'Parameter of type text is missing text value');
  }
  if (texts.some((text) => /[\n\r\t]| {5}/.test(text))) {
    const details = 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces';
    return error(132018, "There's an issue with the parameters in your template", details);
  }
  return undefined;
}

const placesIn = (text = '') => [...new Set(Array.from(text.matchAll(/\{\{(\w+)\}\}/g), ([, name]) => name as string))];

const error = (code: number, message: string, details?: string): Refusal => ({ status: 400, code, message, details });

const miscount = (type: string, sent: number, expected: number) =>
  error(
    132000,
    'Number of parameters does not match the expected number of params',
    `${type.toLowerCase()}: number of localizable_params (${sent}) does not match the expected number of params (${expected})`,
  );

const mismatch = (expected: string, received = 'unknown') =>
  error(
    132012,
    'Parameter format does not match format in the created template',
    `header: Format mismatch, expected ${expected}, received ${received.toUpperCase()}`,
  );
