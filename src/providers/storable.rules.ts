/** A text as any column holds it: without NUL, and with no half of a surrogate pair. */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();
