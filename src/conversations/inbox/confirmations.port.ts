import type { RawBuilder } from 'kysely';

/** What the inbox needs of the AI, a domain above it. It is given as a dependency. */
export interface ConfirmationsPort {
  /** SQL: the number of calls that wait for a confirmation in the row of `session`. */
  waitingInSession(): RawBuilder<number>;
}
