/** The largest accepted file. */
export const MAX_FILE_BYTES = 5 * 1024 ** 2;
/** The number of bytes read by browsers to detect the type of a text (WHATWG MIME Sniffing, 5.2). */
export const SNIFFED_BYTES = 1445;

/** The type used for serving a file. */
export interface FileType {
  mime: string;
  /** The extensions associated with this type, the usual one first. */
  extensions: readonly [string, ...string[]];
}

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const PNG: FileType = { mime: 'image/png', extensions: ['png'] };
const MP4: FileType = { mime: 'video/mp4', extensions: ['mp4', 'm4v'] };
const M4A: FileType = { mime: 'audio/mp4', extensions: ['m4a', 'mp4'] };
const OGG: FileType = { mime: 'audio/ogg', extensions: ['ogg', 'oga', 'opus'] };
const CSV: FileType = { mime: 'text/csv', extensions: ['csv'] };
const TEXT: FileType = { mime: 'text/plain', extensions: ['txt', 'text', 'log', 'md', 'tsv', 'json', 'yaml', 'yml'] };

/** The accepted types other than text, by the detector's names for them. */
const TYPES: Readonly<Record<string, FileType>> = {
  'image/png': PNG,
  'image/apng': PNG,
  'image/jpeg': { mime: 'image/jpeg', extensions: ['jpg', 'jpeg'] },
  'image/gif': { mime: 'image/gif', extensions: ['gif'] },
  'image/webp': { mime: 'image/webp', extensions: ['webp'] },
  'application/pdf': { mime: 'application/pdf', extensions: ['pdf'] },
  'video/mp4': MP4,
  'video/x-m4v': MP4,
  'video/quicktime': { mime: 'video/quicktime', extensions: ['mov', 'qt'] },
  'video/webm': { mime: 'video/webm', extensions: ['webm'] },
  'audio/mpeg': { mime: 'audio/mpeg', extensions: ['mp3'] },
  'audio/ogg': OGG,
  'audio/ogg; codecs=opus': OGG,
  'audio/wav': { mime: 'audio/wav', extensions: ['wav'] },
  'audio/x-m4a': M4A,
  'audio/mp4': M4A,
  [`${OFFICE}.wordprocessingml.document`]: { mime: `${OFFICE}.wordprocessingml.document`, extensions: ['docx'] },
  [`${OFFICE}.spreadsheetml.sheet`]: { mime: `${OFFICE}.spreadsheetml.sheet`, extensions: ['xlsx'] },
  [`${OFFICE}.presentationml.presentation`]: { mime: `${OFFICE}.presentationml.presentation`, extensions: ['pptx'] },
};

/** A workbook of Excel 97 or earlier. */
export const XLS: FileType = { mime: 'application/vnd.ms-excel', extensions: ['xls'] };

/** The media types of accepted files. */
export const ACCEPTED_MEDIA_TYPES: string[] = [
  ...new Set([...Object.values(TYPES), XLS, TEXT, CSV].map(({ mime }) => mime)),
];

/** The detector's name for compound files. Only their directory distinguishes workbooks from other documents. */
export const COMPOUND_FILE = 'application/x-cfb';

/** The accepted types in words, for messages about refused files. */
export const ACCEPTED_TYPES =
  'PNG, JPEG, GIF, WebP, PDF, MP4, MOV, WebM, MP3, Ogg, WAV, M4A, docx, xlsx, xls, pptx, plain text and CSV';

/** Returns the type of a file other than text, or undefined if it is not accepted. */
export const binaryType = (detected: string): FileType | undefined =>
  Object.hasOwn(TYPES, detected) ? TYPES[detected] : undefined;

/** Returns the type of a text. Only the name distinguishes CSV from other text. */
export const textType = (fileName: string): FileType => (/\.csv$/i.test(fileName) ? CSV : TEXT);

/** Binary bytes by WHATWG MIME Sniffing (3). No text contains them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
export const BINARY_CHARACTER = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f\u007f]/;

/**
 * Texts run or rendered by some program: those sniffed by browsers at the beginning (WHATWG MIME Sniffing, 7.1), and
 * active elements anywhere.
 */
const ACTIVE_TEXTS: [RegExp, string][] = [
  [/^<(!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)[\s>-]/i, 'HTML'],
  [/<svg[\s>/:]/i, 'SVG'],
  [
    /<(!doctype|html|head|body|script|iframe|frameset|object|embed|applet|style|meta|link|base|form|math)[\s>/]/i,
    'HTML',
  ],
  [/^<\?xml/i, 'XML'],
  [/^<\?(php|=)/i, 'a PHP script'],
  [/^#!/, 'a script'],
  [/^\{\\rtf/, 'RTF'],
  [/^%!/, 'PostScript'],
];

/**
 * Returns the kind of active content in a text, given its beginning: content run or rendered if the text is opened
 * without regard to its type. Returns undefined for a harmless text.
 */
export function activeContentOf(head: string): string | undefined {
  const text = head.replace(/^\ufeff/, '').trimStart();
  return ACTIVE_TEXTS.find(([pattern]) => pattern.test(text))?.[1] ?? (hasEventHandler(text) ? 'HTML' : undefined);
}

/** Returns whether a tag in the text has an event handler. Reads each part between two ends of tags once. */
function hasEventHandler(text: string): boolean {
  return text.split('>').some((part) => {
    const begin = part.search(/<[a-z]/i);
    return begin !== -1 && /\son[a-z]+\s*=/i.test(part.slice(begin));
  });
}
