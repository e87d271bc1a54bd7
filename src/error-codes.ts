/** A code that programs act on. It stays the same where the sentence beside it is changed. */
interface CodedError {
  status: number;
  meaning: string;
}

/** All codes of errors, as docs/errors.md lists them. The first of a status is that of errors without a more exact one. */
export const ERROR_CODES = {
  invalid_request: { status: 400, meaning: 'The request is not valid. `issues` names each problem with its path.' },
  unauthenticated: { status: 401, meaning: 'The key or session is missing, malformed, expired or revoked.' },
  forbidden: { status: 403, meaning: 'The role, the setting or the owner of the resource does not allow it.' },
  missing_scope: { status: 403, meaning: 'The key or role does not include the scope that the message names.' },
  not_found: { status: 404, meaning: 'There is no such resource in the organization.' },
  contact_merged: { status: 404, meaning: 'The contact was merged into another one, whose id `conflicting` has.' },
  unknown_path: { status: 404, meaning: 'The API has no such path.' },
  method_not_allowed: { status: 405, meaning: 'The path takes other methods, which `Allow` names.' },
  conflict: { status: 409, meaning: 'The present state does not allow it. The message says what to do first.' },
  already_exists: { status: 409, meaning: 'Another row has this value. `conflicting` names its type, id and field.' },
  request_in_progress: { status: 409, meaning: 'The first request with this `Idempotency-Key` is still running.' },
  newer_messages: { status: 409, meaning: 'Messages were written since. `items` has them.' },
  gone: { status: 410, meaning: 'It existed, and has expired or was used.' },
  changed: { status: 412, meaning: 'It has changed since it was read. Read it again.' },
  too_large: { status: 413, meaning: 'The body or a file in it is over the limit that the message names.' },
  path_too_long: { status: 414, meaning: 'The path is too long.' },
  unsupported_type: { status: 415, meaning: 'The type is not accepted. The message names those that are.' },
  unprocessable: { status: 422, meaning: 'The request is understood and cannot be carried out.' },
  idempotency_key_reused: { status: 422, meaning: 'The `Idempotency-Key` was used for another request.' },
  headers_too_large: { status: 431, meaning: 'The headers are too large.' },
  rate_limited: { status: 429, meaning: 'Too many requests in a period. `limit` names the limit.' },
  too_many_at_once: { status: 429, meaning: 'Too much is in progress at once. `limit` names the limit.' },
  quota_used_up: { status: 429, meaning: 'The bytes that may be written in a day are used up.' },
  internal_error: { status: 500, meaning: 'A fault on our side. `X-Request-Id` finds it in the logs.' },
  unavailable: { status: 503, meaning: 'The service is busy or a part of it is away.' },
  locked: { status: 503, meaning: 'Another change of the same row is taking long.' },
  database_away: { status: 503, meaning: 'The database does not answer.' },
  too_slow: { status: 503, meaning: 'It took too long. Ask for less at once.' },
  provider_away: { status: 503, meaning: 'A service of a third party does not answer.' },
} as const satisfies Record<string, CodedError>;

export type ErrorCode = keyof typeof ERROR_CODES;

const CODE_OF_STATUS = new Map<number, ErrorCode>();
for (const [code, { status }] of Object.entries(ERROR_CODES))
  if (!CODE_OF_STATUS.has(status)) CODE_OF_STATUS.set(status, code as ErrorCode);

/** Returns the code of errors of a status without a more exact one. */
export const codeOfStatus = (status: number): ErrorCode =>
  CODE_OF_STATUS.get(status) ?? (status >= 500 ? 'internal_error' : 'invalid_request');
