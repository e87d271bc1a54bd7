import type { components, paths } from '../../generated/api';
import { createRequests, sayUnreachable } from './http/requests';

export type Schemas = components['schemas'];

/** The public API, with the cookie of the member who is signed in. */
export const api = createRequests<paths>((address, init) => fetch(address, init).catch(sayUnreachable));

/** An answer of the API that is no success, with its own sentence. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: { code?: string; scope?: string } & Record<string, unknown>;
  constructor(status: number, body: unknown) {
    const known = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
    super(typeof known.message === 'string' ? known.message : sentenceOf(status));
    this.status = status;
    this.body = known;
  }
}

/** Returns whether an address leads to nothing: the server does not know its id, or it is none. */
export const isMissing = (error: Error | null): boolean =>
  error instanceof ApiError && (error.status === 404 || / params\./.test(error.message));

/** A proxy answers without a sentence of the API, mostly as the server behind it is away. */
const sentenceOf = (status: number): string =>
  AWAY_STATUSES.includes(status) ? `The server is away (${status}): try again soon` : `The server answered ${status}`;

/** What a proxy or the API answers while a server behind it is away. */
export const AWAY_STATUSES = [502, 503, 504];

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** Resolves to the data of an answer. Rejects with an ApiError if it is none, and announces that a sign-in has ended. */
export async function dataOf<Data>(answer: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await answer;
  if (response.ok) return data as Data;
  if (response.status === 401) window.dispatchEvent(new Event('signed-out'));
  throw new ApiError(response.status, error);
}
