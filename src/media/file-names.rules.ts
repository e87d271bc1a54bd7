import type { FileType } from './file-types.rules.ts';

const MAX_NAME_BYTES = 200;
/** The characters read at each end of a name. The rest of a longer one would not be kept. */
const MAX_CHARACTERS_READ = 1_000;
const DEFAULT_NAME = 'file';

/**
 * Control and format characters, including those for text direction, and line separators. Joiners are excluded: some
 * words need them.
 */
const INVISIBLE = /(?!\p{Join_Control})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** Characters refused by some file system or read as a part of the path. */
const RESERVED = /[<>:"|?*]/g;
const DOT_OR_SPACE = /[.\s]/;
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * Returns a file name safe on any system: the last part of a path, without invisible characters, in at most 200 bytes.
 * Its extension belongs to the type, so opening the file starts only a program for this type.
 */
export function cleanFileName(given: string, { extensions }: FileType): string {
  const lastPart = given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1);
  const visible = withoutMiddle(lastPart).toWellFormed().normalize('NFC').replaceAll(INVISIBLE, '');
  const bare = trimmed(visible.replaceAll(RESERVED, '_'));
  const [stem, extension] = splitExtension(bare, extensions);
  const safeStem = DEVICE.test(stem) ? `_${stem}` : stem || DEFAULT_NAME;
  return `${truncate(safeStem, MAX_NAME_BYTES - extension.length - 1)}.${extension}`;
}

/**
 * Returns an `attachment` header with the name in both forms (RFC 6266, 4.3): in ASCII for old clients, and unchanged
 * (RFC 8187).
 */
export function attachmentNamed(fileName: string): string {
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/**
 * Returns the name without dots and spaces at both ends. Takes linear time, unlike a pattern such as `/[.\s]+$/`: that
 * one starts anew at each of the characters inside.
 */
function trimmed(name: string): string {
  let begin = 0;
  let end = name.length;
  while (begin < end && DOT_OR_SPACE.test(name.charAt(begin))) begin++;
  while (end > begin && DOT_OR_SPACE.test(name.charAt(end - 1))) end--;
  return name.slice(begin, end);
}

const withoutMiddle = (name: string): string =>
  name.length <= 2 * MAX_CHARACTERS_READ ? name : name.slice(0, MAX_CHARACTERS_READ) + name.slice(-MAX_CHARACTERS_READ);

/** Splits off an extension of the type. Any other extension belongs to the stem, and the type's usual one is added. */
function splitExtension(name: string, extensions: FileType['extensions']): [stem: string, extension: string] {
  const [, stem = '', extension = ''] = /^(.*)\.([^.]*)$/s.exec(name) ?? [];
  return extensions.includes(extension.toLowerCase()) ? [stem, extension] : [name, extensions[0]];
}

/** Truncates to a number of bytes in UTF-8, in whole characters. */
function truncate(text: string, maxBytes: number): string {
  let bytes = 0;
  let kept = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    kept += character;
  }
  return kept;
}
