export type PageKind = 'html' | 'text' | 'pdf';

const KINDS: Record<string, PageKind> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/plain': 'text',
  'text/markdown': 'text',
  'text/x-markdown': 'text',
  'application/pdf': 'pdf',
  'application/x-pdf': 'pdf',
};
/** Types sent by servers for unknown content. */
const GENERIC_TYPES = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'application/unknown']);
const MAX_SNIFFED_BYTES = 1_024;
const STARTS_HTML =
  /^[\s\ufeff\u00ef\u00bb\u00bf]*<(?:!doctype\s+html|!--|html|head|body|title|meta|div|p|h1|table|article|main|script|style|a)[\s>]/i;

/**
 * Returns the kind of a page, from its first bytes if they are conclusive, otherwise from its type. undefined:
 * unsupported.
 */
export function kindOf(bytes: Uint8Array, contentType: string | null): PageKind | undefined {
  const start = Buffer.from(bytes.subarray(0, MAX_SNIFFED_BYTES)).toString('latin1');
  if (start.trimStart().startsWith('%PDF-')) return 'pdf';
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!GENERIC_TYPES.has(type)) return KINDS[type];
  if (STARTS_HTML.test(start)) return 'html';
  return start.includes('\0') ? undefined : 'text';
}
