import type { ErrorCode } from './error-codes.ts';

/** The kind of an error in terms of the domain. The HTTP layer maps each kind to one status. */
export type ErrorKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'gone'
  | 'changed'
  | 'too_large'
  | 'unsupported'
  | 'unprocessable'
  | 'unavailable';

export interface Issue {
  path: string;
  message: string;
}

/** The row that a request is in conflict with, and the field whose value both have. */
export interface ConflictingRow {
  type: string;
  id: string;
  field: string;
}

/** What programs learn of an error besides its status. */
export interface ErrorDetails {
  /** Absent: that of the status. */
  code?: ErrorCode;
  conflicting?: ConflictingRow;
}

/** An error that the caller can understand and act on. Its message is shown to the caller. */
export class DomainError extends Error {
  readonly kind: ErrorKind;
  readonly issues: Issue[] | undefined;
  readonly details: ErrorDetails;

  constructor(kind: ErrorKind, message: string, issues?: Issue[], details: ErrorDetails = {}) {
    super(message);
    this.name = 'DomainError';
    this.kind = kind;
    this.issues = issues;
    this.details = details;
  }
}

/** Why a message cannot reach its contact: nothing carries the channel, or the contact has no address on it. */
export type UndeliverableReason = 'no_transport' | 'no_address';

/** Nothing can be said to a contact on a channel, whatever the message. */
export class Undeliverable extends DomainError {
  readonly because: UndeliverableReason;

  constructor(because: UndeliverableReason, message: string) {
    super('conflict', message);
    this.because = because;
  }
}

export const invalid = (message: string, issues?: Issue[]) => new DomainError('invalid', message, issues);
/** Returns an error for an unacceptable field of the body. */
export const refused = (field: string, message: string) =>
  invalid(`The request is not valid: body.${field}: ${message}`, [{ path: `body.${field}`, message }]);
/** Returns an error for a body that is unacceptable as a whole, with what it must be or have. */
export const refusedBody = (demand: string) =>
  invalid(`The request is not valid: body ${demand}`, [{ path: 'body', message: demand }]);
/** Returns an error for an unacceptable parameter of the query. */
export const refusedQuery = (name: string, message: string) =>
  invalid(`The request is not valid: query.${name}: ${message}`, [{ path: `query.${name}`, message }]);
export const unauthorized = (message: string) => new DomainError('unauthorized', message);
export const forbidden = (message: string) => new DomainError('forbidden', message);
export const missingScope = (scope: string) =>
  new DomainError('forbidden', `Missing required scope: ${scope}`, undefined, { code: 'missing_scope' });
export const notFound = (resource: string) => new DomainError('not_found', `${capitalize(resource)} not found`);
/** Returns an error for the id of a contact that was merged into another one. */
export const mergedInto = (id: string) =>
  new DomainError('not_found', `The contact was merged into ${id}`, undefined, {
    code: 'contact_merged',
    conflicting: { type: 'contact', id, field: 'id' },
  });
export const conflict = (message: string) => new DomainError('conflict', message);
/** Returns an error for a value that a row has. Without the id of the row, which may be gone by now, it names none. */
export const alreadyExists = (
  message: string,
  { id, ...row }: Omit<ConflictingRow, 'id'> & { id: string | undefined },
) =>
  id === undefined
    ? conflict(message)
    : new DomainError('conflict', message, undefined, { code: 'already_exists', conflicting: { ...row, id } });
export const gone = (message: string) => new DomainError('gone', message);
/** Returns an error for a resource that is not as the caller has seen it. */
export const changed = (message: string) => new DomainError('changed', message);
export const tooLarge = (message: string) => new DomainError('too_large', message);
export const unsupported = (message: string) => new DomainError('unsupported', message);
export const unavailable = (message: string) => new DomainError('unavailable', message);
export const unprocessable = (message: string) => new DomainError('unprocessable', message);

/** The kind of a limit, and its name where there are several. */
export interface ReachedLimit {
  code: ErrorCode;
  limit?: string;
}

/**
 * One of our limits is reached for now. Its message is shown to the caller. It is not a DomainError, because those are
 * stored as the final answer to an Idempotency-Key.
 */
export class TooManyRequests extends Error {
  readonly retryAfterSeconds: number;
  readonly reached: ReachedLimit;

  constructor(message: string, retryAfterSeconds: number, reached: ReachedLimit = { code: 'too_many_at_once' }) {
    super(message);
    this.name = 'TooManyRequests';
    this.retryAfterSeconds = retryAfterSeconds;
    this.reached = reached;
  }
}

/**
 * The caller has not seen what it has to know. It is not a DomainError: its items may be texts of people, and are not
 * stored as the answer to an Idempotency-Key.
 */
export class NotSeen extends Error {
  readonly code: ErrorCode;
  readonly items: object[];

  constructor(message: string, { code, items }: { code: ErrorCode; items: object[] }) {
    super(message);
    this.name = 'NotSeen';
    this.code = code;
    this.items = items;
  }
}

/**
 * A third party's refusal or failure. `transient`: a retry may succeed, after `retryAfterMs` if the third party named a
 * time. `isOwnLimit`: our own limit prevented the call.
 */
export class ProviderError extends Error {
  readonly transient: boolean;
  readonly retryAfterMs: number | undefined;
  readonly isOwnLimit: boolean;

  constructor(
    message: string,
    options: { transient: boolean; retryAfterMs?: number; isOwnLimit?: boolean; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.name = 'ProviderError';
    this.transient = options.transient;
    this.retryAfterMs = options.retryAfterMs;
    this.isOwnLimit = options.isOwnLimit ?? false;
  }
}

/** A third party rejects its input, for example because it is too long. Other input may be accepted. */
export class InputRefused extends ProviderError {}

/** A third party fails at its input or is too slow with it, which may be due to the input. Other input may be accepted. */
export class InputFailed extends ProviderError {}

/** Returns the message of whatever was thrown. */
export const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);

/** Returns the code of a system, driver or library error, or undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  const { code } = error;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : undefined;
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
