import type { Price } from './schema.ts';

const TOKENS_PER_PRICE = 1_000_000;
/** A token has at least this many bytes in nearly every text and language. */
const BYTES_PER_TOKEN = 3;
/** What a message and its role take beside the text. */
const TOKENS_PER_MESSAGE = 8;

/** The parts of a call's cost. */
export interface TokenCounts {
  input: number;
  output: number;
  cached: number;
}

/** Returns more tokens than texts probably have, for a reservation. */
export const mostTokensOf = (texts: string[]): number =>
  texts.reduce((sum, text) => sum + TOKENS_PER_MESSAGE + Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN), 0);

/** Returns what tokens cost; 0 without a price. */
export function costOf({ input, output, cached }: TokenCounts, price: Price | undefined): number {
  if (price === undefined) return 0;
  const fresh = Math.max(0, input - cached);
  return (fresh * price.input + cached * (price.cached ?? price.input) + output * price.output) / TOKENS_PER_PRICE;
}
