import type { EgressRequest, EgressResponse, HttpClient } from '../../egress/egress.ts';
import { EgressError } from '../../egress/egress.ts';
import { jsonOf, reasonFrom, retryAfterOf, urlOf } from '../../egress/provider-responses.ts';
import { CrmError } from '../errors.ts';

export const API_PATH = '/iamessage/api/v2';
const TIMEOUT_MS = 10_000;
/** Fifty messages of the greatest length, every character escaped. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
const JSON_HEADERS = { accept: 'application/json', 'content-type': 'application/json' };

export interface ApiCall {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
  token?: string;
}

export type SalesforceApi = (call: ApiCall) => Promise<EgressResponse>;

/** Calls the API once. Any status is an answer; a CrmError says why there is none. */
export function createSalesforceApi(egress: HttpClient, baseUrl: string): SalesforceApi {
  return async ({ method, path, body, token }) => {
    const request: EgressRequest = {
      method,
      headers: { ...JSON_HEADERS, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    try {
      return await egress.request(urlOf(baseUrl, API_PATH + path), request);
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      const { message, transient, mayHaveArrived } = error;
      // An address that is not to be reached is one of the settings: another one may be.
      throw new CrmError(message, { transient: true, mayHaveArrived, areCredentialsRefused: !transient, cause: error });
    }
  };
}

export const isSuccess = ({ status }: EgressResponse) => status >= 200 && status < 300;

/** It is there already: ids are ours, so that a second time is the same thing. */
export const isAlreadyDone = (answer: EgressResponse) =>
  answer.status === 409 || (answer.status === 400 && /already exist|duplicate/i.test(explanationOf(answer)));

/** What an answer that did nothing means. With `isAboutConnection` a refusal is one of the credentials, which waits until they are mended. */
export function failureOf(
  answer: EgressResponse,
  secrets: string[],
  { isAboutConnection = answer.status === 401 }: { isAboutConnection?: boolean } = {},
): CrmError {
  const { status, headers } = answer;
  const isPassing = status === 408 || status === 425 || status === 429 || status >= 500;
  const areCredentialsRefused = !isPassing && isAboutConnection;
  const what = areCredentialsRefused ? 'refuses the connection' : 'answered';
  // What passes is told to Temporal, which forgets nothing, and a sentence may quote what was sent.
  const reason = isPassing ? 'it is tried again' : reasonFrom(explanationOf(answer), secrets);
  return new CrmError(`Salesforce ${what} (${status}): ${reason}`, {
    transient: isPassing || areCredentialsRefused,
    status,
    retryAfterMs: retryAfterOf(headers['retry-after']),
    mayHaveArrived: status === 408 || status >= 500,
    areCredentialsRefused,
  });
}

/** An answer whose body is not what the API promises: a proxy's or a maintenance page, which pass. */
export const unexpectedResponse = ({ status }: EgressResponse) =>
  new CrmError(`Salesforce answered ${status} with something that is not its API's`, {
    transient: true,
    status,
    mayHaveArrived: true,
  });

function explanationOf(answer: EgressResponse): string {
  const { message, error } = (jsonOf(answer) ?? {}) as { message?: unknown; error?: unknown };
  const said = [message, error].find((text) => typeof text === 'string');
  return said ?? 'it did not say why';
}
