import { type BodyType, isMediaType, type PartEncodings } from '../definitions/body-types.rules.ts';
import type { JsonSchema } from '../definitions/schema.ts';
import { objectOf, propertyOf } from '../definitions/schema-parts.rules.ts';
import { textOf } from './serialization.rules.ts';

const DATA_URL = /^data:([^,;]*)((?:;[^,;]*)*),(.*)$/s;

/** The content of a file, and its media type where the value says it. */
interface FileContent {
  bytes: Buffer;
  mediaType: string | undefined;
}

/** Returns the bytes of a text. A data URL stands for the bytes it contains. */
export function fileOf(text: string): FileContent {
  const [, mediaType = '', options = '', content] = DATA_URL.exec(text) ?? [];
  if (content === undefined) return { bytes: Buffer.from(text.toWellFormed()), mediaType: undefined };
  const isBase64 = /;base64$/i.test(options);
  const bytes = isBase64 ? Buffer.from(content, 'base64') : Buffer.from(percentDecoded(content));
  return { bytes, mediaType: isMediaType(mediaType) && !mediaType.includes('*') ? mediaType : undefined };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.toWellFormed();
  }
}

/**
 * Encodes an object as `multipart/form-data` (RFC 7578), with one part for each item of a list. Objects are sent as JSON.
 * A part is a file if its schema says so: `format: binary`, `contentMediaType` or an encoding other than text.
 */
export function multipartOf(body: object, type: BodyType): { mediaType: string; body: Buffer } {
  const parts = Object.entries(body).flatMap(([name, value]) => {
    const schema = propertyOf(type.schema, name);
    return Array.isArray(value) && !isJson(type.encoding, name)
      ? value.map((item) => partOf(name, item, objectOf(schema?.items), type))
      : [partOf(name, value, schema, type)];
  });
  const boundary = boundaryFor(parts);
  const framed = parts.flatMap((part) => [Buffer.from(`--${boundary}\r\n`), part, Buffer.from('\r\n')]);
  return {
    mediaType: `${type.mediaType}; boundary=${boundary}`,
    body: Buffer.concat([...framed, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

/** Returns a boundary that stands in none of the parts. */
function boundaryFor(parts: Buffer[]): string {
  for (let n = 0; ; n++) {
    const boundary = `--------switchboard-part-${n}`;
    if (!parts.some((part) => part.includes(boundary))) return boundary;
  }
}

function partOf(name: string, value: unknown, schema: JsonSchema | undefined, { encoding }: BodyType): Buffer {
  const wanted = Object.hasOwn(encoding, name) ? mediaTypeOf(encoding[name]?.contentType) : undefined;
  const described = mediaTypeOf(schema?.contentMediaType);
  const isFile = typeof value === 'string' && (schema?.format === 'binary' || described !== undefined);
  const file = isFile ? fileOf(value) : undefined;
  const isStructured = typeof value === 'object' && value !== null;
  const contentType =
    wanted ??
    (file === undefined
      ? isStructured
        ? 'application/json'
        : undefined
      : (file.mediaType ?? described ?? 'application/octet-stream'));
  const disposition = `form-data; name="${quoted(name)}"${file === undefined ? '' : `; filename="${quoted(name)}"`}`;
  const head = [
    `Content-Disposition: ${disposition}`,
    ...(contentType === undefined ? [] : [`Content-Type: ${contentType}`]),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), file?.bytes ?? Buffer.from(textOf(value))]);
}

/** Whether a part is to be JSON, so that a list stays in one part. */
const isJson = (encoding: PartEncodings, name: string): boolean =>
  Object.hasOwn(encoding, name) && mediaTypeOf(encoding[name]?.contentType) === 'application/json';

/** Returns the first of a list of media types. */
function mediaTypeOf(text: unknown): string | undefined {
  const [first = ''] = typeof text === 'string' ? text.split(/[,;]/) : [];
  const type = first.trim();
  return isMediaType(type) && !type.includes('*') ? type : undefined;
}

/** As browsers do: quotes and line ends would end the name. */
const quoted = (name: string): string =>
  name.toWellFormed().replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
