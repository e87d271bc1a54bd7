import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

/** Returns a new token of a link or a session, for its bearer only. */
export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** Returns what is stored of a token. */
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();
