const MAX_NAME_LENGTH = 255;
const MAX_VALUE_LENGTH = 8_192;

/** The name of a header (RFC 9110, 5.1). */
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** Header values safe to send unchanged. */
export const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
/** Headers set by the connection itself. */
export const CONNECTION_HEADER =
  /^(host|content-length|connection|transfer-encoding|upgrade|keep-alive|te|trailer|expect|proxy-.*)$/i;

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
