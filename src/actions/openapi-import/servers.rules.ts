import { memberOf } from '../../collections/records.ts';
import { storable } from '../../providers/storable.rules.ts';

const MAX_URL_LENGTH = 8_192;
const VARIABLE = /(\{[^{}]+\})/;

/** A server with too long an address. The message continues a sentence about it. */
export class LongAddress extends Error {
  constructor() {
    super(`make an address of more than ${MAX_URL_LENGTH} characters`);
    this.name = 'LongAddress';
  }
}

/** Returns the URL of a server, with its variables at their defaults. Throws LongAddress. */
export function urlOfServer({ url, variables }: { url?: unknown; variables?: unknown }): string {
  let address = '';
  for (const part of bounded(textOf(url)).split(VARIABLE)) {
    const value = VARIABLE.test(part) ? defaultOf(variables, part.slice(1, -1)) : undefined;
    address = bounded(address + bounded(value ?? part));
  }
  return storable(address);
}

function defaultOf(variables: unknown, name: string): string | undefined {
  const variable = memberOf(variables, name);
  const text = typeof variable === 'object' && variable !== null && 'default' in variable ? variable.default : '';
  return textOf(text) || undefined;
}

function bounded(text: string): string {
  if (text.length > MAX_URL_LENGTH) throw new LongAddress();
  return text;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
