import { z } from 'zod';
import type { EgressRequest, EgressResponse, HttpClient } from '../egress/egress.ts';
import { jsonOf, reasonFrom, urlOf } from '../egress/provider-responses.ts';

const BASE_URL = 'https://graph.facebook.com';
const VERSION = 'v23.0';
/** A late answer is worth waiting for: a send whose answer is lost cannot be looked up. */
const POST_TIMEOUT_MS = 30_000;

/** Too many messages to this one recipient. */
export const PAIR_RATE_LIMIT_CODE = 131056;
/** Meta did nothing, as too much was asked. Not all of them come with a 429. */
const THROTTLE_CODES = new Set<number | undefined>([4, 80007, 130429, PAIR_RATE_LIMIT_CODE]);

/** Settings as an org's WhatsApp integration gives them. */
export interface MetaSettings {
  base_url?: string | undefined;
  access_token: string;
  /** Verifies the signature of callbacks. */
  app_secret?: string | undefined;
  /** Answers the subscription handshake. */
  verify_token?: string | undefined;
}

/** Meta's account of what went wrong, in answers and in callbacks alike. */
export const MetaError = z.object({
  code: z.number(),
  message: z.string().optional().catch(undefined),
  title: z.string().optional().catch(undefined),
  error_data: z.object({ details: z.string() }).optional().catch(undefined),
});
export type MetaError = z.infer<typeof MetaError>;

/** Its status is 429 whenever Meta did nothing because too much was asked. */
export interface MetaResponse extends EgressResponse {
  /** Of Meta's own error. */
  code: number | undefined;
  /** What Meta said, without the token. */
  reason: string;
}

/** One call of the Graph API: GET, or POST where there is a body. Any status is an answer; an EgressError says why there is none. */
export async function callMeta(
  egress: HttpClient,
  { base_url = BASE_URL, access_token }: MetaSettings,
  path: string,
  body?: object,
): Promise<MetaResponse> {
  const headers = { accept: 'application/json', authorization: `Bearer ${access_token}` };
  const post: EgressRequest = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    timeoutMs: POST_TIMEOUT_MS,
  };
  const answer = await egress.request(urlOf(base_url, `/${VERSION}/${path}`), body === undefined ? { headers } : post);
  const error = ErrorAnswer.safeParse(jsonOf(answer)).data?.error;
  return {
    ...answer,
    status: THROTTLE_CODES.has(error?.code) ? 429 : answer.status,
    code: error?.code,
    reason: error === undefined ? `Meta answered ${answer.status}` : reasonOf(error, [access_token]),
  };
}

const ErrorAnswer = z.object({ error: MetaError });

/** Meta's code and words, as in `(#132000) Number of parameters does not match`. */
export function reasonOf({ code, message, title, error_data }: MetaError, secrets: string[] = []): string {
  const said = (message ?? title)?.replace(/^\(#\d+\)\s*/, '');
  const words = [said, error_data?.details].filter((part) => part !== undefined);
  return reasonFrom(`(#${code}) ${words.join(': ')}`.trimEnd(), secrets);
}
