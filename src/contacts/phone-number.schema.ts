import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { z } from 'zod';
import { currentCountry } from '../processes/current-work.ts';

/** Returns the number in E.164, or undefined if the text is neither an international number nor one of the country. */
export function toE164(text: string, country = currentCountry()): string | undefined {
  const parsed = text.trimStart().startsWith('+') ? parsePhoneNumberFromString(text) : nationalNumber(text, country);
  return parsed?.isPossible() === true ? parsed.number : undefined;
}

function nationalNumber(text: string, country: string | undefined) {
  if (country === undefined || !isSupportedCountry(country)) return undefined;
  return parsePhoneNumberFromString(text.trim(), { defaultCountry: country, extract: false });
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
    context.issues.push({
      code: 'custom',
      input: text,
      message:
        'must be an international phone number with + and the country code, such as +442079460958. Numbers without them are taken once the organization’s settings have a country',
    });
    return z.NEVER;
  })
  .describe(
    'An international number with + and the country code, or a national one of the country in the organization’s settings. Stored as E.164.',
  );
