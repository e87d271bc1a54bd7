import { memberOf } from '../../../collections/records.ts';
import { joinUrl } from '../../../text/urls.rules.ts';
import type { EgressRequest, EgressResponse, HttpClient } from '../../egress/egress.ts';
import { EgressError } from '../../egress/egress.ts';
import { jsonOf, reasonFrom, retryAfterOf } from '../../egress/provider-responses.ts';
import { CrmError } from '../errors.ts';

export const API_PATH = '/iamessage/api/v2';
const TIMEOUT_MS = 10_000;
/** Fits fifty messages of the greatest length with every character escaped. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
const JSON_HEADERS = { accept: 'application/json', 'content-type': 'application/json' };

export interface ApiCall {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
  token?: string;
}

export type SalesforceApi = (call: ApiCall) => Promise<EgressResponse>;

/** Calls the API once. Returns responses of any status. Throws a CrmError without a response. */
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
      return await egress.request(joinUrl(baseUrl, API_PATH + path), request);
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      const { message, transient, mayHaveArrived } = error;
      // A blocked address comes from the settings, so a corrected one may succeed later.
      throw new CrmError(message, { transient: true, mayHaveArrived, areCredentialsRefused: !transient, cause: error });
    }
  };
}

export const isSuccess = ({ status }: EgressResponse) => status >= 200 && status < 300;

/** It exists already. Ids are ours, so a repeated request creates the same object. */
export const isAlreadyDone = (answer: EgressResponse) =>
  answer.status === 409 || (answer.status === 400 && /already exist|duplicate/i.test(explanationOf(answer)));

/** Returns whether a refusal is the API's own. A gateway, or a wrong address, may answer with the same status. */
export const isOfApi = (answer: EgressResponse) => typeof memberOf(jsonOf(answer), 'errorCode') === 'string';

/**
 * Returns the failure for a response without effect. With `isAboutConnection`, a refusal is one of the credentials and
 * lasts until they are fixed.
 */
export function failureOf(
  answer: EgressResponse,
  secrets: string[],
  { isAboutConnection = answer.status === 401 }: { isAboutConnection?: boolean } = {},
): CrmError {
  const { status, headers } = answer;
  const isPassing = status === 408 || status === 425 || status === 429 || status >= 500;
  const areCredentialsRefused = !isPassing && isAboutConnection;
  const what = areCredentialsRefused ? 'refuses the connection' : 'answered';
  // Temporal stores the messages of transient failures permanently, and Salesforce's sentences may quote request data.
  const reason = isPassing ? 'it is tried again' : reasonFrom(explanationOf(answer), secrets);
  return new CrmError(`Salesforce ${what} (${status}): ${reason}`, {
    transient: isPassing || areCredentialsRefused,
    status,
    retryAfterMs: retryAfterOf(headers['retry-after']),
    mayHaveArrived: status === 408 || status >= 500,
    areCredentialsRefused,
  });
}

/** Returns the failure for a response with an unexpected body, such as a proxy's or a maintenance page: transient. */
export const unexpectedResponse = ({ status }: EgressResponse) =>
  new CrmError(`Salesforce answered ${status} with something that is not its API's`, {
    transient: true,
    status,
    mayHaveArrived: true,
  });

function explanationOf(answer: EgressResponse): string {
  const json = jsonOf(answer);
  const said = [memberOf(json, 'message'), memberOf(json, 'error')].find((text) => typeof text === 'string');
  return said ?? 'it did not say why';
}
