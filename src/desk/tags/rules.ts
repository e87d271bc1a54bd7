/** What names have in common that are one tag: those that differ in case, or in how Unicode writes the same letters. */
export const tagKeyOf = (name: string): string => name.normalize('NFC').toLowerCase();
