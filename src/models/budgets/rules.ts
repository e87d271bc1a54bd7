import type { Budgets, Price } from './schema.ts';

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

/** The part of a budget after which its org is warned. */
const WARNING_SHARE = 0.8;

export interface Amount {
  tokens: number;
  cost: number;
}

interface ReachedLevel {
  budget: 'day' | 'month';
  level: 'warning' | 'exhausted';
  allowance: { tokens: number | null; cost: number | null };
}

/** Returns the level that a call of this size makes a budget reach: none, a warning, or that it does not fit any more. */
export function reachedLevel(
  budget: 'day' | 'month',
  spent: Amount,
  call: Amount,
  limit: Budgets['day'],
): ReachedLevel[] {
  const allowance = { tokens: limit?.tokens ?? null, cost: limit?.cost ?? null };
  const share = Math.max(
    (spent.tokens + call.tokens) / (allowance.tokens ?? Infinity),
    (spent.cost + call.cost) / (allowance.cost ?? Infinity),
  );
  if (share < WARNING_SHARE) return [];
  return [{ budget, level: share > 1 ? 'exhausted' : 'warning', allowance }];
}
