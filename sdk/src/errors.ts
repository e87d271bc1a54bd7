import type { Error as ApiError } from '../generated/types.gen.ts';

/** What kind of error it is, for programs: docs/errors.md has a line for each. */
export type ErrorCode = ApiError['code'];

/** An answer that is not a success. */
export class SwitchboardError extends Error {
  override readonly name = 'SwitchboardError';
  readonly status: number;
  /** Undefined if something between the client and the API has answered. */
  readonly code: ErrorCode | undefined;
  /** The whole answer. */
  readonly answer: Partial<ApiError>;
  /** Seconds until a retry makes sense. */
  readonly retryAfterSeconds: number | undefined;
  /** Finds the request in the logs of the API. */
  readonly requestId: string | undefined;

  constructor(answer: Partial<ApiError>, { status, headers }: Pick<Response, 'status' | 'headers'>) {
    super(answer.message ?? `The API answered ${status}`);
    this.status = status;
    this.code = answer.code;
    this.answer = answer;
    const seconds = headers.get('retry-after');
    this.retryAfterSeconds = seconds === null ? undefined : Number(seconds);
    this.requestId = headers.get('x-request-id') ?? undefined;
  }

  /** Every field that is not valid, with its path. */
  get issues() {
    return this.answer.issues ?? [];
  }

  /** The row that has the value already, with the code `already_exists`. */
  get conflicting() {
    return this.answer.conflicting;
  }
}

/** Returns the error of an answer. What came without one, such as a failed connection, stays as it is. */
export function errorOf(error: unknown, response: Response | undefined): unknown {
  if (response === undefined || response.ok) return error;
  return new SwitchboardError(typeof error === 'object' && error !== null ? error : {}, response);
}
