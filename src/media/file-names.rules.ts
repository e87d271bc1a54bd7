import type { FileType } from './file-types.rules.ts';

const MAX_NAME_BYTES = 200;
const DEFAULT_NAME = 'file';

/**
 * Control and format characters, including those for text direction, and line separators. Joiners are excluded: some
 * words need them.
 */
const INVISIBLE = /(?!\p{Join_Control})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** Characters refused by some file system or read as a part of the path. */
const RESERVED = /[<>:"|?*]/g;
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * Returns a file name safe on any system: the last part of a path, without invisible characters, in at most 200 bytes.
 * Its extension belongs to the type, so opening the file starts only a program for this type.
 */
export function cleanFileName(given: string, { extensions }: FileType): string {
  const visible = given.toWellFormed().normalize('NFC').replaceAll(INVISIBLE, '');
  const lastPart = visible.split(/[/\\]/).at(-1) ?? '';
  const bare = lastPart.replaceAll(RESERVED, '_').replace(/^[.\s]+|[.\s]+$/g, '');
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
