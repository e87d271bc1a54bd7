import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** The number in E.164, or undefined when the text is no international number. */
export function toE164(text: string): string | undefined {
  if (!text.trimStart().startsWith('+')) return undefined;
  const parsed = parsePhoneNumberFromString(text);
  return parsed?.isPossible() === true ? parsed.number : undefined;
}
