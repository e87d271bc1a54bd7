import type { components, paths } from '../../generated/api';
import { createRequests } from './requests';

export type Schemas = components['schemas'];

/** The public API, with the cookie of the member who is signed in. */
export const api = createRequests<paths>((address, init) => fetch(address, init).catch(sayUnreachable));

/** No answer came. Browsers each have another sentence for it, and none says what to do. */
export class UnreachableError extends Error {}

function sayUnreachable(error: Error): never {
  if (error.name === 'AbortError') throw error;
  throw new UnreachableError('The server cannot be reached. Check your connection.', { cause: error });
}

/** An answer of the API that is no success, with its own sentence. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: { code?: string; scope?: string } & Record<string, unknown>;
  constructor(status: number, body: unknown) {
    const known = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
    super(typeof known.message === 'string' ? known.message : `The server answered ${status}`);
    this.status = status;
    this.body = known;
  }
}

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
