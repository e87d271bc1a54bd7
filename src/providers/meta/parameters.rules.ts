/** The longest white space allowed in one place of a parameter: up to four characters, and no tab or line break. */
const ALLOWED_GAP = /^[^\t\n\v\f\r\u2028\u2029]{1,4}$/;

/**
 * Returns a value accepted by WhatsApp as a template parameter: trimmed, with a single space for every gap it would
 * refuse (error 132018).
 */
export const toParameterText = (text: string): string =>
  text.trim().replace(/\s+/g, (gap) => (ALLOWED_GAP.test(gap) ? gap : ' '));
