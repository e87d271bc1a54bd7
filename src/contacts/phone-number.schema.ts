import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { z } from 'zod';
import { currentCountry } from '../processes/current-work.ts';

/** Marks of direction, which address books put around a number that is copied. */
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Returns the number in E.164, or undefined if the text is neither an international number nor one of the country. A number
 * with an extension is none: without it, it would be the number of everybody at that line.
 */
export function toE164(text: string, country = currentCountry()): string | undefined {
  const spelled = text.replace(DIRECTION_MARKS, '').trim();
  const parsed = spelled.startsWith('+')
    ? parsePhoneNumberFromString(spelled, { extract: false })
    : nationalNumber(spelled, country);
  return parsed?.isPossible() === true && parsed.ext === undefined ? parsed.number : undefined;
}

function nationalNumber(text: string, country: string | undefined) {
  if (country === undefined || !isSupportedCountry(country)) return undefined;
  return parsePhoneNumberFromString(text, { defaultCountry: country, extract: false });
}

/** A country with phone numbers, by its code. */
export const Country = z
  .string()
  .max(10)
  .toUpperCase()
  .refine(isSupportedCountry, 'must be an ISO 3166-1 alpha-2 code of a country, such as GB')
  .meta({ examples: ['GB'] });

/** A phone number in any international spelling, or in one of the org's country; E.164 once parsed. */
export const PhoneNumber = z
  .string()
  .min(1)
  .max(50)
  .transform((text, context) => {
    const number = toE164(text);
    if (number !== undefined) return number;
    const country = currentCountry();
    const national =
      country === undefined
        ? 'Numbers without them are taken once the organization’s settings have a country'
        : `Numbers without them are those of ${country}`;
    context.issues.push({
      code: 'custom',
      input: text,
      message: `must be an international phone number with + and the country code, such as +442079460958, without an extension. ${national}`,
    });
    return z.NEVER;
  })
  .describe(
    'An international number with + and the country code, or a national one of the country in the organization’s settings. Stored as E.164.',
  );
