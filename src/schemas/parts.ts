import { domainToASCII } from 'node:url';
import { z } from 'zod';
import './messages.ts';

const MAX_LOCAL_PART = 64;
/** A dot-atom and a domain name. */
const EMAIL =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$/;

/** At least two labels; the last label is not a number, unlike in an IP address (RFC 1123, 2.1). */
const DOMAIN = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;
/** Characters with a meaning of their own in a URL, or ending a name in it. */
const NOT_IN_A_DOMAIN = /[\s/:?#@%\\]/;

/** One of our ids. Other systems may write it in upper case: it is the same. */
export const Id = z.uuid('must be a UUID').toLowerCase();

/** A timestamp in an answer: ISO 8601, UTC, milliseconds. Accepts the database's Date. */
export const Timestamp = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});

/** The start of the next page of a list. */
export const Cursor = z.string().max(500).describe('The `next` of the page before.');

/** The name of a file sent as the body of a request. */
export const FileName = z.string().max(255).optional().describe('Of the file. Shown with the import.');

/** The order of a list by creation. */
export const Order = z.enum(['oldest', 'newest']).default('oldest').describe('By creation.');

/** A time as in ISO 8601 or RFC 3339: also with a space instead of the T, and in UTC without a zone. */
export const Time = z
  .string()
  .max(40)
  .transform(withZone)
  .pipe(z.iso.datetime({ offset: true, error: 'must be an ISO 8601 date-time, such as 2026-01-31T12:00:00Z' }));
const Bound = Time.optional();

/** Returns a time of RFC 3339 as one of ISO 8601. A plus that was not percent-encoded has become a space. */
function withZone(text: string): string {
  const time = text.replace(/^(\d{4}-\d\d-\d\d) /, '$1T').replace(/ (\d\d:\d\d)$/, '+$1');
  return /(?:Z|[+-]\d\d:\d\d)$/i.test(time) ? time : `${time}Z`;
}

/** A whole number from 0 in a query. An empty text is none, though JavaScript reads it as 0. */
export const wholeNumber = (most: number) =>
  z.preprocess(
    (value) => (value === '' ? Number.NaN : value),
    z.coerce.number('must be a whole number').int().min(0).max(most),
  );

/** The query parameters of a list by creation or update. */
export const RANGE = {
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  created_after: Bound.describe('Created then or later.'),
  created_before: Bound.describe('Created earlier.'),
  updated_after: Bound.describe('Updated then or later. Orders the list by update.'),
  updated_before: Bound.describe('Updated earlier. Orders the list by update.'),
};

/** What reasons have in common: all before the first colon, at most 100 characters. Indexes have it too. */
export const ReasonGroup = z.string().min(1).max(100).describe('The reason up to its first colon.');

/** The channels of sessions. */
export const SessionChannel = z
  .enum(['web', 'email', 'phone_voice', 'slack', 'sms', 'whatsapp', 'instagram', 'messenger', 'api', 'web_voice'])
  .meta({ id: 'SessionChannel' });
export type SessionChannel = z.infer<typeof SessionChannel>;

/** A command's answer without a body. Handlers return NO_BODY for it. */
export const NoBody = z.undefined().describe('Done. No body.');
export const NO_BODY = '' as unknown as undefined;

/** Returns what the document says of a stream: the `data` of each event is JSON of one of these components. */
export function eventsOf(...names: string[]) {
  const [first, ...others] = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const contentSchema = others.length === 0 ? first : { anyOf: [first, ...others] };
  return { contentMediaType: 'application/json', contentSchema };
}

/** The languages that the API accepts, by their ISO 639-1 codes. */
export const Language = z
  .enum(
    'en fr de nl pl pt es it ru ja ko zh ar tr sv da no fi el cs hu th vi id he hi uk ro bg hr sk sl sr et lv lt is ga ms tl fa bn ta te ur sw zu af sq hy az eu be bs ca cy'.split(
      ' ',
    ),
  )
  .meta({ id: 'Language' });

/** JSON that was checked before it was stored. The document describes it by the schema of that check, which has an id. */
export function storedAs(schema: z.ZodType) {
  const id = schema.meta()?.id;
  if (id === undefined) throw new Error('The schema of stored JSON has no id');
  return z.unknown().meta({ storedAs: id });
}

/** Non-empty text for humans. */
export const Name = z.string().min(1).max(255);

/** An e-mail address (RFC 5321). Its case is preserved. */
export const EmailAddress = z
  .email({ pattern: EMAIL, error: 'must be an e-mail address, such as ada@example.com' })
  .max(254)
  .refine(
    (address) => address.indexOf('@') <= MAX_LOCAL_PART,
    `must have at most ${MAX_LOCAL_PART} characters before the @`,
  );

/** A domain name in any spelling. Once parsed, it is lower case, in ASCII (RFC 5891) and without a trailing dot. */
export const DomainName = z
  .string()
  .min(1)
  .max(253)
  .transform((text, context) => {
    const name = NOT_IN_A_DOMAIN.test(text) ? '' : domainToASCII(text.toLowerCase()).replace(/\.$/, '');
    if (DOMAIN.test(name)) return name;
    context.issues.push({
      code: 'custom',
      input: text,
      message: 'must be the name of a domain, such as example.com: no URL, no e-mail and no IP address',
    });
    return z.NEVER;
  });

/**
 * Returns the schema with all objects in it strict, at any depth: a name that they do not know is an issue of the code
 * `unrecognized_keys`, where the schema itself would drop it.
 */
export function strictThroughout<Schema extends z.ZodType>(schema: Schema): Schema {
  const def = defOf(schema);
  const changed: Partial<Definition> = {};
  for (const part of ['innerType', 'in', 'element'] as const) {
    const inner = def[part];
    if (inner !== undefined) changed[part] = strictThroughout(inner);
  }
  if (def.type === 'union') changed.options = def.options?.map((option) => strictThroughout(option));
  if (def.shape !== undefined) {
    const fields = Object.entries(def.shape).map(([name, field]) => [name, strictThroughout(field)]);
    Object.assign(changed, { shape: Object.fromEntries(fields), catchall: def.catchall ?? z.never() });
  }
  return Object.keys(changed).length === 0 ? schema : z.core.clone(schema, { ...def, ...changed } as never);
}

/** Returns the paths of the names that a strict schema did not know. */
export const unknownPathsIn = (error: z.ZodError | undefined): PropertyKey[][] =>
  (error?.issues ?? []).flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((name) => [...issue.path, name]) : [],
  );

/** The parts of zod's definitions that lead to objects. */
interface Definition {
  type: string;
  innerType?: z.ZodType;
  in?: z.ZodType;
  getter?: () => z.ZodType;
  options?: z.ZodType[];
  left?: z.ZodType;
  right?: z.ZodType;
  element?: z.ZodType;
  shape?: Record<string, z.ZodType>;
  catchall?: z.ZodType;
}

/** Returns a schema's definition. */
export const defOf = (schema: z.ZodType) => schema.def as unknown as Definition;
