/** A message has as many files as one by the API. */
export const MAX_FILES = 10;

/** A file that a contact sent and that is not stored. */
export interface MissingFile {
  /** What it is, as in `image`, or its name. */
  what: string;
  reason: string;
}

/** Returns the text for a message: what the contact wrote, and a line for each file that is missing. */
export const textWith = (text: string, missing: MissingFile[]): string =>
  [
    ...(text.trim() === '' && missing.length > 0 ? [] : [text]),
    ...missing.map(({ what, reason }) => `[${what} not received: ${reason}]`),
  ].join('\n');
