import { z } from 'zod';
import { ProviderError } from '../../errors.ts';
import { CONNECTION_HEADER, HEADER_NAME, HEADER_VALUE } from '../../providers/egress/headers.rules.ts';
import { retryAfterOf } from '../../providers/egress/provider-responses.ts';
import { headersOf, parsedBodyOf } from '../../providers/egress/response-content.ts';
import { AnyJson } from '../blocks/schema.ts';
import { remoteAction } from './action.ts';

const MAX_TIMEOUT_SECONDS = 60;
const MAX_URL = 2_048;
const MAX_HEADERS = 50;
const MAX_BODY_CHARACTERS = 500_000;
/** A run stores this much of a response body. */
const MAX_ANSWER_BYTES = 256 * 1024;
/** Responses larger than this are refused, not read to their end. */
const MAX_READ_BYTES = 8 * 1024 * 1024;

const HeaderName = z
  .string()
  .max(255, { abort: true })
  .regex(HEADER_NAME, 'must be the name of a header')
  .refine((name) => !CONNECTION_HEADER.test(name), 'is a header that the connection sets');
const HeaderValue = z.string().max(8_192, { abort: true }).regex(HEADER_VALUE, 'must be printable ASCII in one line');

export const sendWebhook = remoteAction({
  type: 'send-webhook',
  title: 'Call a webhook',
  description:
    'Calls an address over HTTP. Network errors, 429 and 5xx are tried again; any other status is output. All tries carry the same Idempotency-Key and webhook-id. A call whose outcome is unknown, as its worker ended during it, fails instead of being made again, unless it is a GET or the step is retry_safe.',
  input: z.strictObject({
    url: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(MAX_URL)
      .describe(
        'A value of a reference is encoded as one part of the path or one value of the query. A reference at the beginning is the address itself.',
      ),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
    headers: z
      .record(HeaderName, HeaderValue)
      .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, `must be at most ${MAX_HEADERS}`)
      .default({}),
    body: AnyJson.refine(
      (body) => JSON.stringify(body).length <= MAX_BODY_CHARACTERS,
      `must have at most ${MAX_BODY_CHARACTERS} characters`,
    )
      .optional()
      .describe('Sent as JSON. A GET has none.'),
    timeout_seconds: z.number().gt(0).max(MAX_TIMEOUT_SECONDS).default(MAX_TIMEOUT_SECONDS),
  }),
  output: z.object({
    status: z.int(),
    headers: z.record(z.string(), z.string()),
    body: z.json().describe('Parsed if it is JSON, otherwise text, cut after 256 KB.'),
  }),
  isRepeatable: ({ method }) => method === 'GET',
  async call({ egress }, { dedupeKey }, { url, method, headers, body, timeout_seconds }) {
    const hasBody = body !== undefined && method !== 'GET';
    const answer = await egress.request(url, {
      method,
      headers: {
        ...requestHeadersOf(headers, hasBody),
        'idempotency-key': dedupeKey,
        'webhook-id': dedupeKey,
      },
      ...(hasBody ? { body: JSON.stringify(body) } : {}),
      timeoutMs: Math.ceil(timeout_seconds * 1_000),
      maxBytes: MAX_READ_BYTES,
    });
    if (answer.status === 429 || answer.status >= 500)
      throw new ProviderError(`${new URL(answer.url).host} answered ${answer.status}`, {
        transient: true,
        retryAfterMs: retryAfterOf(answer.headers['retry-after']),
      });
    return { status: answer.status, headers: headersOf(answer), body: parsedBodyOf(answer, MAX_ANSWER_BYTES) };
  },
});

/** Names in lower case, so no header is sent twice. */
const requestHeadersOf = (headers: Record<string, string>, hasBody: boolean): Record<string, string> => ({
  accept: 'application/json, */*',
  ...(hasBody ? { 'content-type': 'application/json' } : {}),
  ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
});
