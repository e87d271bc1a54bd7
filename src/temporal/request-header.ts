import { defaultPayloadConverter, type Headers } from '@temporalio/common';

/** Histories have it: never rename. */
const HEADER = 'request-id';

/** Returns headers of Temporal with the id of the request that a workflow follows from, if there is one. */
export const withRequest = (headers: Headers, requestId: string | undefined): Headers =>
  requestId === undefined ? headers : { ...headers, [HEADER]: defaultPayloadConverter.toPayload(requestId) };

/** Returns the id of the request that headers of Temporal name. */
export function requestIn(headers: Headers): string | undefined {
  const { [HEADER]: payload } = headers;
  return payload === undefined ? undefined : defaultPayloadConverter.fromPayload<string>(payload);
}
