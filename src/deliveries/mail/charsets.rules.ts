/** A character in UTF-8 (RFC 3629, section 4) of several bytes, or a byte that belongs to none. */
const SEQUENCE =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g;
const WINDOWS = new TextDecoder('windows-1252');

/** Returns whether a text has characters of ASCII alone. */
export const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

/** Returns whether a text with this charset in its header is read as UTF-8. */
export const isReadAsUtf8 = (charset: string | undefined): boolean =>
  charset === undefined || ['ascii', 'usascii', 'utf8'].includes(charset.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));

/**
 * Returns the text of bytes that are said to be UTF-8 or ASCII. Old programs send letters of windows-1252 so: bytes that
 * are no UTF-8 are read as these.
 */
export const textOfBytes = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replaceAll(SEQUENCE, (found) => {
      const sequence = Buffer.from(found, 'latin1');
      return sequence.length > 1 ? sequence.toString('utf8') : WINDOWS.decode(sequence);
    });
