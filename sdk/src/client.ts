import { type Client, createClient } from '../generated/client/index.ts';
import { Operations } from '../generated/sdk.gen.ts';
import { errorOf } from './errors.ts';
import { type RetryOptions, unrepeatable, withRetries } from './retries.ts';

export interface SwitchboardOptions {
  /** The address of the API, such as `https://api.example.com`. */
  baseUrl: string;
  /** An API key of an organization, or of a partner. */
  key: string;
  /** Replaces the global `fetch`, for proxies and tests. */
  fetch?: typeof fetch;
  retries?: RetryOptions;
}

/**
 * The operations of the API by their names in its document. Each resolves to the body of the answer, and rejects with a
 * SwitchboardError.
 */
export class Switchboard extends Operations {
  readonly http: Client;

  /** Throws a TypeError if the address is none. */
  constructor({ baseUrl, key, fetch: given = fetch, retries = {} }: SwitchboardOptions) {
    if (!URL.canParse(baseUrl))
      throw new TypeError(
        `baseUrl must be the address of the API, such as https://api.example.com: it is "${baseUrl}"`,
      );
    const http = createClient({
      baseUrl,
      throwOnError: true,
      auth: ({ scheme }) => (scheme === 'bearer' ? key : undefined),
      fetch: withRetries(given, retries),
    });
    http.interceptors.request.use((request, { body }) => {
      if (body instanceof ReadableStream) unrepeatable.add(request);
      return request;
    });
    http.interceptors.error.use((error, response) => errorOf(error, response));
    super({ client: http });
    this.http = http;
  }
}
