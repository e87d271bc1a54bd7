import type { RawBuilder } from 'kysely';

/** The needs of the inbox of the AI, a domain above it. It is given as a dependency. */
export interface ConfirmationsPort {
  /** SQL: the number of unconfirmed calls in the row of `session`. */
  waitingInSession(): RawBuilder<number>;
}
