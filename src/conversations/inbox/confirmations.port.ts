import type { RawBuilder } from 'kysely';

/** The functions of the AI, a domain above the inbox, for its use. It is given as a dependency. */
export interface ConfirmationsPort {
  /** SQL: the number of unconfirmed calls in the row of `session`. */
  waitingInSession(): RawBuilder<number>;
}
