import { z } from 'zod';
import { joinUrl } from '../../text/urls.rules.ts';
import type { EgressRequest, EgressResponse, HttpClient } from '../egress/egress.ts';
import { jsonOf, reasonFrom } from '../egress/provider-responses.ts';

const BASE_URL = 'https://graph.facebook.com';
const VERSION = 'v23.0';
/** A long wait is worthwhile: a send with a lost response cannot be reconciled. */
const POST_TIMEOUT_MS = 30_000;

/** Too many messages to one recipient. */
export const PAIR_RATE_LIMIT_CODE = 131056;
/** Meta did nothing because of rate limits. Not all of these codes come with a 429. */
const THROTTLE_CODES = new Set<number | undefined>([4, 32, 613, 80002, 80006, 80007, 130429, PAIR_RATE_LIMIT_CODE]);

/** WhatsApp's refusals of a file: of its type, its bytes, or as it is uploaded. */
const FILE_REFUSALS = new Set<number | undefined>([131051, 131052, 131053]);

/** Whether a code of Meta refuses a file alone: a text may still go. */
export const isFileRefusal = (code: number | undefined): boolean => FILE_REFUSALS.has(code);

/** Where calls go, and by which right. */
export interface MetaSettings {
  base_url?: string | undefined;
  access_token: string;
}

/** Meta's id of a message. */
export const MessageId = z.string().regex(/^[\x21-\x7e]{1,512}$/);

/** Meta's description of a failure, in responses and in callbacks. */
export const MetaError = z.object({
  code: z.number(),
  error_subcode: z.number().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  title: z.string().optional().catch(undefined),
  error_data: z.object({ details: z.string() }).optional().catch(undefined),
});
export type MetaError = z.infer<typeof MetaError>;

/** Its status is 429 whenever Meta did nothing because of rate limits. */
export interface MetaResponse extends EgressResponse {
  /** The code of Meta's own error. */
  code: number | undefined;
  /** What tells apart the errors of one code. */
  subcode: number | undefined;
  /** Meta's words, without the token. */
  reason: string;
}

/**
 * Makes one call of the Graph API: a POST if there is a body, else a GET. A form goes out as multipart. Returns responses
 * of any status. Throws an EgressError without a response.
 */
export async function callMeta(
  egress: HttpClient,
  { base_url = BASE_URL, access_token }: MetaSettings,
  path: string,
  body?: object | FormData,
): Promise<MetaResponse> {
  const headers = { accept: 'application/json', authorization: `Bearer ${access_token}` };
  const answer = await egress.request(
    joinUrl(base_url, `/${VERSION}/${path}`),
    body === undefined ? { headers } : await postOf(headers, body),
  );
  const error = ErrorAnswer.safeParse(jsonOf(answer)).data?.error;
  return {
    ...answer,
    status: THROTTLE_CODES.has(error?.code) ? 429 : answer.status,
    code: error?.code,
    subcode: error?.error_subcode,
    reason: error === undefined ? `Meta answered ${answer.status}` : reasonOf(error, [access_token]),
  };
}

async function postOf(headers: Record<string, string>, body: object | FormData): Promise<EgressRequest> {
  const post = { method: 'POST', timeoutMs: POST_TIMEOUT_MS } as const;
  if (!(body instanceof FormData))
    return { ...post, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const encoded = new Response(body);
  const type = encoded.headers.get('content-type') ?? '';
  return { ...post, headers: { ...headers, 'content-type': type }, body: new Uint8Array(await encoded.arrayBuffer()) };
}

const ErrorAnswer = z.object({ error: MetaError });

/** Returns Meta's code and words, as in `(#132000) Number of parameters does not match`. */
export function reasonOf({ code, message, title, error_data }: MetaError, secrets: string[] = []): string {
  const said = (message ?? title)?.replace(/^\(#\d+\)\s*/, '');
  const words = [said, error_data?.details].filter((part) => part !== undefined);
  return reasonFrom(`(#${code}) ${words.join(': ')}`.trimEnd(), secrets);
}
