import { ProviderError } from '../../errors.ts';

/** A failed call of a CRM. */
export class CrmError extends ProviderError {
  /** The HTTP status of the response; undefined without a response. */
  readonly status: number | undefined;
  /** False only if certainly nothing was changed there. */
  readonly mayHaveArrived: boolean;
  /** The credentials are refused: no call succeeds until the connection is fixed. */
  readonly areCredentialsRefused: boolean;

  constructor(
    message: string,
    options: {
      transient: boolean;
      status?: number | undefined;
      retryAfterMs?: number | undefined;
      mayHaveArrived?: boolean;
      areCredentialsRefused?: boolean;
      isOwnLimit?: boolean;
      cause?: unknown;
    },
  ) {
    const { transient, retryAfterMs, isOwnLimit = false, cause } = options;
    super(message, { transient, isOwnLimit, cause, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
    this.name = 'CrmError';
    this.status = options.status;
    this.mayHaveArrived = options.mayHaveArrived ?? false;
    this.areCredentialsRefused = options.areCredentialsRefused ?? false;
  }
}

/** Returns the error for a CRM without a connection. It is transient: the CRM may be connected later. */
export const notConnected = (what: string) =>
  new CrmError(`${what} is not connected: see PUT /integrations`, { transient: true, areCredentialsRefused: true });
