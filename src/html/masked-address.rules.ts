const HIDDEN = '•••';
const SHOWN_DIGITS = 2;

/**
 * Returns an e-mail address or a telephone number as its owner recognizes it and nobody else learns it: `d•••@a•••.com`,
 * `•••42`.
 */
export function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  if (at < 0) return address.length > 2 * SHOWN_DIGITS ? `${HIDDEN}${address.slice(-SHOWN_DIGITS)}` : HIDDEN;
  const domain = address.slice(at + 1);
  const dot = domain.lastIndexOf('.');
  const ending = dot > 0 ? domain.slice(dot) : '';
  return `${firstOf(address.slice(0, at))}${HIDDEN}@${firstOf(domain)}${HIDDEN}${ending}`;
}

/** Returns the first character, also one of two code units. */
const firstOf = (text: string): string => [...text][0] ?? '';
