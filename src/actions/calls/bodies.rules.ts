import { isRecord } from '../../collections/records.ts';
import type { Issue } from '../../errors.ts';
import type { BodyKind, BodyType } from '../definitions/body-types.rules.ts';
import { fileOf, multipartOf } from './multipart.rules.ts';
import { formOf, textOf } from './serialization.rules.ts';
import { invalidNameIn, xmlOf } from './xml.rules.ts';

/** A body as it is sent. */
interface EncodedBody {
  mediaType: string;
  body: string | Buffer;
}

type Form = 'object' | 'text';

/** What a value must be to be sent in an encoding. JSON takes any. */
const FORMS: Partial<Record<BodyKind, Form[]>> = {
  form: ['object'],
  multipart: ['object'],
  xml: ['object', 'text'],
  text: ['text'],
  file: ['text'],
};
const EXPECTATIONS: Partial<Record<BodyKind, string>> = {
  form: 'must be an object: it goes out as a form',
  multipart: 'must be an object: it goes out as a form of parts',
  xml: 'must be an object, or the text of a document: it goes out as XML',
  text: 'must be text: it goes out as it is',
  file: 'must be text or a data URL: it goes out as bytes',
};

/** Returns why a value cannot be sent in the encoding of a body, apart from its schema. */
export function issuesOfForm({ kind }: BodyType, value: unknown, path: string): Issue[] {
  const forms = FORMS[kind];
  if (forms === undefined) return [];
  const form = formIn(value);
  if (form === undefined || !forms.includes(form)) return [{ path, message: EXPECTATIONS[kind] ?? '' }];
  const invalid = kind === 'xml' ? invalidNameIn(value) : undefined;
  if (invalid === undefined) return [];
  return [{ path, message: `has "${invalid.slice(0, 100)}", which cannot be the name of an element` }];
}

function formIn(value: unknown): Form | undefined {
  if (typeof value !== 'object') return value === undefined ? undefined : 'text';
  return value === null || Array.isArray(value) ? undefined : 'object';
}

/** Encodes a value that issuesOfForm has accepted. */
export function encodeBody(type: BodyType, value: unknown): EncodedBody {
  const { kind, mediaType, schema } = type;
  switch (kind) {
    case 'json':
      return { mediaType, body: JSON.stringify(value) };
    case 'form':
      return { mediaType, body: formOf(isRecord(value) ? value : {}) };
    case 'multipart':
      return multipartOf(isRecord(value) ? value : {}, type);
    case 'xml':
      return { mediaType, body: typeof value === 'object' ? xmlOf(value, schema) : textOf(value) };
    case 'text':
      return { mediaType: `${mediaType}; charset=utf-8`, body: textOf(value) };
    case 'file':
      return { mediaType, body: fileOf(textOf(value)).bytes };
  }
}
