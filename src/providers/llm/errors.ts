import { ProviderError } from '../../errors.ts';

/** Why a model gave no answer that can be used. */
export type LlmProblem =
  | 'rate_limited'
  | 'quota'
  | 'auth'
  | 'context_too_long'
  | 'filtered'
  | 'refused'
  | 'malformed'
  | 'timeout'
  | 'unavailable'
  | 'invalid';

const TRANSIENT: ReadonlySet<LlmProblem> = new Set(['rate_limited', 'malformed', 'timeout', 'unavailable']);

/** The tokens of a request, as the provider counts them, or `estimated` by us where it does not. */
export interface LlmUsage {
  input: number;
  output: number;
  /** The part of `input` that the provider had from before. */
  cached: number;
  estimated: boolean;
}

/** A request to a model without a usable answer. */
export class LlmError extends ProviderError {
  readonly problem: LlmProblem;
  /** What an answer that cannot be used has cost. */
  readonly usage: LlmUsage | undefined;

  constructor(
    problem: LlmProblem,
    message: string,
    options: { retryAfterMs?: number | undefined; usage?: LlmUsage; cause?: unknown } = {},
  ) {
    const { retryAfterMs, cause } = options;
    super(message, { transient: TRANSIENT.has(problem), cause, ...(retryAfterMs !== undefined && { retryAfterMs }) });
    this.problem = problem;
    this.usage = options.usage;
  }
}
