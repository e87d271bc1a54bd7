import type { CookieSerializeOptions } from '@fastify/cookie';
import type { Config } from '../config.ts';
import { MAX_SESSION_SECONDS } from './sessions.service.ts';

const NAMES = { member: 'switchboard_session', operator: 'switchboard_operator' };
/** The session of an operator is not extended. */
export const OPERATOR_SESSION_SECONDS = 12 * 3_600;
const MAX_TOKEN_LENGTH = 100;

export interface SessionCookie {
  name: string;
  options: CookieSerializeOptions;
  /** Returns the token in the cookies of a request. */
  tokenIn(cookies: Record<string, string | undefined>): string | undefined;
}

/**
 * Returns the cookie of sessions: scripts and other sites' requests do not have it. Under https its name keeps other
 * hosts of the domain from setting it (RFC 6265bis, `__Host-`).
 */
export const sessionCookieOf = (config: Pick<Config, 'PUBLIC_URL'>): SessionCookie =>
  cookieOf(config, 'member', MAX_SESSION_SECONDS);

/** Returns the cookie of the operator's sessions. No route of an org reads it. */
export const operatorCookieOf = (config: Pick<Config, 'PUBLIC_URL'>): SessionCookie =>
  cookieOf(config, 'operator', OPERATOR_SESSION_SECONDS);

function cookieOf(config: Pick<Config, 'PUBLIC_URL'>, of: keyof typeof NAMES, maxAge: number): SessionCookie {
  const secure = !isPlainLoopback(config);
  const name = secure ? `__Host-${NAMES[of]}` : NAMES[of];
  const options: CookieSerializeOptions = {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure,
    maxAge,
  };
  return {
    name,
    options,
    tokenIn(cookies) {
      const token = cookies[name];
      return token === '' || (token?.length ?? 0) > MAX_TOKEN_LENGTH ? undefined : token;
    },
  };
}

/**
 * Returns whether the public URL is plain http on this machine. Browsers reject a Secure cookie over plain http, and
 * plain http is only for local development.
 */
function isPlainLoopback({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): boolean {
  const { protocol, hostname } = new URL(PUBLIC_URL);
  return protocol === 'http:' && (hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.'));
}
