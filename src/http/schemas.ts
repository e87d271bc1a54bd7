import { domainToASCII } from 'node:url';
import { z } from 'zod';

const MAX_LOCAL_PART = 64;
/** A dot-atom and the name of a domain. */
const EMAIL =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$/;

/** Two labels at least, the last of them not a number, as in an address (RFC 1123, 2.1). */
const DOMAIN = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;
/** What a URL would take for the end of a name or for something else in it. */
const NOT_IN_A_DOMAIN = /[\s/:?#@%\\]/;

/** A path parameter that is one of our ids. */
export const Id = z.uuid('must be a UUID');

/** A timestamp in an answer: ISO 8601, UTC, milliseconds. Takes the database's Date. */
export const Timestamp = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});

/** Where a list goes on. */
export const Cursor = z.string().min(1).max(500).describe('The `next` of the page before.');

const Time = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 date-time, such as 2026-01-31T12:00:00Z' })
  .optional();

/** The query of a list by creation or update. */
export const RANGE = {
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  created_after: Time.describe('Created then or later.'),
  created_before: Time.describe('Created earlier.'),
  updated_after: Time.describe('Updated then or later. Orders the list by update.'),
  updated_before: Time.describe('Updated earlier. Orders the list by update.'),
};

/** Spec 2.1. */
export const SessionChannel = z
  .enum(['web', 'email', 'phone_voice', 'slack', 'sms', 'whatsapp', 'instagram', 'messenger', 'api', 'web_voice'])
  .meta({ id: 'SessionChannel' });
export type SessionChannel = z.infer<typeof SessionChannel>;

/** A command's answer without a body. Its handlers return NO_BODY. */
export const NoBody = z.undefined().describe('Done. No body.');
export const NO_BODY = '' as unknown as undefined;

/** Spec 2.1. */
export const Language = z
  .enum(
    'en fr de nl pl pt es it ru ja ko zh ar tr sv da no fi el cs hu th vi id he hi uk ro bg hr sk sl sr et lv lt is ga ms tl fa bn ta te ur sw zu af sq hy az eu be bs ca cy'.split(
      ' ',
    ) as [string, ...string[]],
  )
  .meta({ id: 'Language' });

/** Text that a human reads, with something in it. */
export const Name = z.string().min(1).max(255);

/** An e-mail address (RFC 5321), in the case it was sent. */
export const EmailAddress = z
  .email({ pattern: EMAIL, error: 'must be an e-mail address, such as ada@example.com' })
  .max(254)
  .refine(
    (address) => address.indexOf('@') <= MAX_LOCAL_PART,
    `must have at most ${MAX_LOCAL_PART} characters before the @`,
  );

/** The name of a domain, in any spelling; lower case, in ASCII (RFC 5891) and without a dot at its end once parsed. */
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
