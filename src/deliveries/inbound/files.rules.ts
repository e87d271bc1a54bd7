/** A message has as many files as one by the API. */
export const MAX_FILES = 10;

/** A file that a contact sent and that is not stored. */
export interface MissingFile {
  /** What it is, as in `image`, or its name. */
  what: string;
  reason: string;
}

const MAX_NAME_LENGTH = 100;

/** Returns the name of a file for a line of a text, else its kind. */
export function namedInText({ kind, name }: { kind: string; name: string | null }): string {
  const line = (name ?? '').replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}[\]]/gu, ' ').trim();
  return line === '' ? kind : `${kind} ${[...line].slice(0, MAX_NAME_LENGTH).join('')}`;
}

/** Returns the text for a message: what the contact wrote, and a line for each file that is missing. */
export const textWith = (text: string, missing: MissingFile[]): string =>
  [
    ...(text.trim() === '' && missing.length > 0 ? [] : [text]),
    ...missing.map(({ what, reason }) => `[${what} not received: ${reason}]`),
  ].join('\n');

/** Returns an edited text with the lines of missing files at the end of the text before. */
export function editedText(before: string, text: string): string {
  const lines = before.split('\n');
  const kept = lines.slice(lines.findLastIndex((line) => !isOfMissingFile(line)) + 1);
  return [...(text.trim() === '' && kept.length > 0 ? [] : [text]), ...kept].join('\n');
}

/** Whether a line is one that textWith adds. */
const isOfMissingFile = (line: string) =>
  line.startsWith('[') && line.endsWith(']') && line.includes(' not received: ');
