import { createHash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 24;
const ORG_BYTES = 16;

/** Returns a new token of a link. It names its org. */
export const newToken = (orgId: string): string =>
  Buffer.concat([Buffer.from(orgId.replaceAll('-', ''), 'hex'), randomBytes(SECRET_BYTES)]).toString('base64url');

/** Returns the org named by a token, or undefined if it is none of ours. */
export function orgOf(token: string): string | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== ORG_BYTES + SECRET_BYTES || bytes.toString('base64url') !== token) return undefined;
  const hex = bytes.subarray(0, ORG_BYTES).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
