import { ProviderError } from '../errors.ts';
import type { Egress, EgressRequest } from './egress/egress.ts';
import { requestFailure, retryAfterOf } from './egress/provider-responses.ts';

const TIMEOUT_MS = 60_000;
const NOT_FOUND = 404;

/** Downloads a file from a provider. Throws a ProviderError, transient if a retry may get the file. */
export async function downloaded(
  egress: Egress,
  url: string,
  options: EgressRequest & { maxBytes: number },
): Promise<Buffer> {
  const answer = await egress.download(url, { timeoutMs: TIMEOUT_MS, ...options });
  if (answer.status === 200) return answer.bytes;
  throw mediaFailure({ ...answer, body: '' }, `The file’s address answered ${answer.status}`);
}

/** Returns the failure of a request for a file. A file may be announced before it can be found. */
export const mediaFailure = (answer: Parameters<typeof requestFailure>[0], reason: string): ProviderError =>
  answer.status === NOT_FOUND
    ? new ProviderError(reason, { transient: true, retryAfterMs: retryAfterOf(answer.headers['retry-after']) })
    : requestFailure(answer, reason);
