import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { z } from 'zod';

/** Returns the number in E.164, or undefined if the text is not an international number. */
export function toE164(text: string): string | undefined {
  if (!text.trimStart().startsWith('+')) return undefined;
  const parsed = parsePhoneNumberFromString(text);
  return parsed?.isPossible() === true ? parsed.number : undefined;
}

/** A phone number in any international spelling; E.164 once parsed. */
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
      message: 'must be an international phone number with + and the country code, such as +442079460958',
    });
    return z.NEVER;
  })
  .describe('An international number with + and the country code. Stored as E.164.');
