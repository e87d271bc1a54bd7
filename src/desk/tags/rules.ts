/**
 * Returns the key shared by all names of one tag: names that differ only in letter case or in their Unicode
 * composition.
 */
export const tagKeyOf = (name: string): string => name.normalize('NFC').toLowerCase();
