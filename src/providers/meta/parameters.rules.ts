/** As much white space as a parameter may hold in one place: up to four, and no tab or line break. */
const ALLOWED_GAP = /^[^\t\n\v\f\r\u2028\u2029]{1,4}$/;

/** A value as WhatsApp takes it in a template: trimmed, with a single space for every gap that it would refuse (error 132018). */
export const toParameterText = (text: string): string =>
  text.trim().replace(/\s+/g, (gap) => (ALLOWED_GAP.test(gap) ? gap : ' '));
