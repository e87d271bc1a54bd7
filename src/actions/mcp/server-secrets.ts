import { MASK } from '../../orgs/integrations/schema.ts';

/** Where a server is, with the headers that it gets. */
export interface ServerAddress {
  url: string;
  headers: Record<string, string>;
}

/** Shorter ones are words that answers have anyway. */
const MIN_HEADER = 4;
const MIN_TOKEN = 8;
/** A part of a path that is a key: `/api/mcp/s/<key>/mcp`. */
const KEY_IN_PATH = /^(?=.*\d)[\w.~-]{16,}$/;

/** Masks what a server may repeat of what it was given: its headers and the credentials in them, and the keys in its address. */
export const withoutSecretsOf = (server: ServerAddress, text: string): string =>
  secretsOf(server).reduce((shown, secret) => shown.replaceAll(secret, MASK), text);

/** Returns the secrets, the longest first, as one can contain another. */
function secretsOf({ url, headers }: ServerAddress): string[] {
  const values = Object.values(headers).filter((value) => value.length >= MIN_HEADER);
  const { search = '', pathname = '' } = URL.parse(url) ?? {};
  const tokens = [
    ...values.flatMap((value) => value.split(/[\s,;=]+/)),
    ...search
      .slice(1)
      .split('&')
      .map((parameter) => parameter.slice(parameter.indexOf('=') + 1)),
    ...new URLSearchParams(search).values(),
  ].filter((token) => token.length >= MIN_TOKEN);
  const keys = pathname.split('/').filter((part) => KEY_IN_PATH.test(part));
  return [...new Set([...values, ...tokens, ...keys])].toSorted((one, other) => other.length - one.length);
}
