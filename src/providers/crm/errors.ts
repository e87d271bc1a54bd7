import { ProviderError } from '../../errors.ts';

/** Why a CRM did not do what it was asked to. */
export class CrmError extends ProviderError {
  /** Of the answer; undefined where none came. */
  readonly status: number | undefined;
  /** False only where it is certain that nothing was changed there. */
  readonly mayHaveArrived: boolean;
  /** The credentials are refused: nothing goes until the connection is mended. */
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

/** There is nothing to ask. Somebody may connect it. */
export const notConnected = (what: string) =>
  new CrmError(`${what} is not connected: see PUT /integrations`, { transient: true, areCredentialsRefused: true });
