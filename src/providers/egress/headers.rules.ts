import { isUtf8 } from 'node:buffer';

const MAX_NAME_LENGTH = 255;
const MAX_VALUE_LENGTH = 8_192;

/** The name of a header (RFC 9110, 5.1). */
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** Header values safe to send unchanged. */
export const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
/** Headers set by the connection itself. */
export const CONNECTION_HEADER =
  /^(host|content-length|connection|transfer-encoding|upgrade|keep-alive|te|trailer|expect|proxy-.*)$/i;

/**
 * Returns an address of a received header, which is decoded as Latin-1. As in browsers, bytes beyond ASCII, which
 * RFC 9110 does not allow, are read as UTF-8, and percent-encoded if they are none.
 */
export function addressOfHeader(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  return value.replaceAll(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Returns why a header of this name cannot be sent, or undefined. */
export function headerNameProblem(name: string): string | undefined {
  if (name.length > MAX_NAME_LENGTH || !HEADER_NAME.test(name)) return 'must be the name of a header';
  return CONNECTION_HEADER.test(name) ? 'is a header that the connection sets' : undefined;
}

/** Returns why a header cannot have this value, or undefined. */
export const headerValueProblem = (value: string): string | undefined =>
  value.length <= MAX_VALUE_LENGTH && HEADER_VALUE.test(value)
    ? undefined
    : `must be printable ASCII in one line, at most ${MAX_VALUE_LENGTH} characters`;
