import { sleep } from './sleep.ts';

export interface RetryOptions {
  /** How often a request is repeated at most. Default: 3. */
  maxRetries?: number;
  /** The longest wait that the API may ask for. Beyond it, its answer is an error. Default: 60 seconds. */
  maxWaitMs?: number;
}

const FIRST_WAIT_MS = 250;
const MAX_BACKOFF_MS = 8_000;
const KEY = 'idempotency-key';
/** Methods that have the same effect however often they arrive. */
const REPEATABLE = ['GET', 'HEAD', 'PUT'];
const LIMITED = 429;
const AWAY = [LIMITED, 502, 503, 504];
const CONFLICT = 409;

/** Requests with a body that can be read only once. */
export const unrepeatable = new WeakSet<Request>();

/**
 * Returns a `fetch` that repeats what is safe to repeat: reads, replacements, and a POST by an `Idempotency-Key`, which it
 * adds. Others are repeated only where the API has refused to begin (429). The waits are as the API asks for.
 */
export function withRetries(send: typeof fetch, { maxRetries = 3, maxWaitMs = 60_000 }: RetryOptions): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const canRepeat = !(input instanceof Request && unrepeatable.has(input));
    if (request.method === 'POST' && request.headers.has('authorization') && !request.headers.has(KEY))
      request.headers.set(KEY, crypto.randomUUID());
    for (let retry = 0; ; retry++) {
      const isLast = !canRepeat || retry >= maxRetries;
      const outcome = await attempt(send, isLast ? request : request.clone());
      const waitMs = isLast ? undefined : await waitBefore(request, outcome, retry);
      if (waitMs === undefined || waitMs > maxWaitMs) return answerOf(outcome);
      await ('response' in outcome ? outcome.response.body?.cancel() : undefined);
      await sleep(waitMs, request.signal);
    }
  };
}

type Outcome = { response: Response } | { error: unknown };

const attempt = (send: typeof fetch, request: Request): Promise<Outcome> =>
  send(request).then(
    (response) => ({ response }),
    (error: unknown) => ({ error }),
  );

function answerOf(outcome: Outcome): Response {
  if ('error' in outcome) throw outcome.error;
  return outcome.response;
}

/** Returns how long to wait before a repetition, or undefined if there must be none. */
async function waitBefore(request: Request, outcome: Outcome, retry: number): Promise<number | undefined> {
  const isSafe = REPEATABLE.includes(request.method) || request.headers.has(KEY);
  const backoff = Math.random() * Math.min(FIRST_WAIT_MS * 2 ** retry, MAX_BACKOFF_MS);
  if ('error' in outcome) return isSafe && !request.signal.aborted ? backoff : undefined;
  const { response } = outcome;
  const isWorthIt = isSafe
    ? AWAY.includes(response.status) || (await isRunning(response))
    : response.status === LIMITED;
  return isWorthIt ? Math.max(backoff, waitOf(response)) : undefined;
}

/** Whether the first request with this key is still running: its answer comes later. */
const isRunning = async (response: Response): Promise<boolean> =>
  response.status === CONFLICT && (await response.clone().text()).includes('"request_in_progress"');

/** Reads `Retry-After`: seconds or a date. */
function waitOf({ headers }: Response): number {
  const given = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(given)) return Number(given) * 1_000;
  return Math.max(0, Date.parse(given) - Date.now() || 0);
}
