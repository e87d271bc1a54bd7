import type { JsonSchema } from './schema.ts';

/** How a body is encoded. `file` stands for all media types without an encoding of their own: bytes, or text. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'xml' | 'text' | 'file';

export interface BodyType {
  kind: BodyKind;
  /** The `content-type` of the request. */
  mediaType: string;
  schema: JsonSchema | undefined;
  /** How the parts of a multipart body are sent, by their names. */
  encoding: PartEncodings;
}

export type PartEncodings = Record<string, { contentType?: string | undefined }>;

/** The media types of an operation's body. */
type BodyContent = Record<string, { schema?: JsonSchema | undefined; encoding?: PartEncodings | undefined }>;

const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9*][a-z0-9!#$&^_.+-]*$/i;

/** In the order of preference. Ranges are sent as the type that fits best. */
const KINDS: [kind: BodyKind, pattern: RegExp, ofRange: string][] = [
  ['json', /^(?:\*\/\*|application\/(?:\*|(?:[a-z0-9.+-]+\+)?json))$/i, 'application/json'],
  ['form', /^application\/x-www-form-urlencoded$/i, ''],
  ['multipart', /^multipart\/form-data$/i, ''],
  ['xml', /^(?:application|text)\/(?:[a-z0-9.+-]+\+)?xml$/i, ''],
  ['text', /^text\//i, 'text/plain'],
  ['file', /^[^*]+\//, 'application/octet-stream'],
];

/** Returns the type in which a body is sent: the first that is known, JSON before all others. Undefined without any. */
export function bodyTypeIn(content: BodyContent): BodyType | undefined {
  const types = Object.entries(content).map(([key, described]) => ({ mediaType: bareType(key), described }));
  for (const [kind, pattern, ofRange] of KINDS) {
    const found = types.find(({ mediaType }) => isMediaType(mediaType) && pattern.test(mediaType));
    if (found === undefined) continue;
    const { schema, encoding = {} } = found.described;
    return { kind, mediaType: found.mediaType.includes('*') ? ofRange : found.mediaType, schema, encoding };
  }
  return undefined;
}

const bareType = (key: string): string => key.replace(/;.*$/s, '').trim();

/** Whether a text is a media type, or a range of them. */
export const isMediaType = (text: string): boolean => text === '*/*' || MEDIA_TYPE.test(text);
