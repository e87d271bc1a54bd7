/** Returns a text storable in any column: without NUL, and without halves of surrogate pairs. */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();
