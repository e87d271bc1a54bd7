/** Repeatable requests are sent this often. */
const MAX_TRIES = 3;

/** The outcome of a request. */
export type Attempt =
  /** `mayHaveActed`: something may have happened although the answer refuses it. */
  | { kind: 'answered'; status: number; mayHaveActed: boolean }
  /** No answer came. `mayHaveArrived` is false only if certainly nothing was received. */
  | { kind: 'lost'; mayHaveArrived: boolean; isTransient: boolean };

export interface AttemptTerms {
  /** Whether the call changes nothing, such as a GET. */
  isRead: boolean;
  /** Whether it may be sent again with the same key. */
  isRepeatable: boolean;
  /** The number of requests so far, this one included. */
  tries: number;
}

/**
 * Returns the outcome proved by an attempt. `failed` means a call that surely did not happen: no earlier request can
 * have had an effect either. A call that may have happened is sent again if allowed, and otherwise is `unknown`.
 */
export function outcomeOf(attempt: Attempt, terms: AttemptTerms): 'done' | 'failed' | 'unknown' | 'again' {
  if (attempt.kind === 'answered' && attempt.status >= 200 && attempt.status < 300) return 'done';
  if (isWorthRepeating(attempt) && terms.isRepeatable && terms.tries < MAX_TRIES) return 'again';
  if (terms.isRead) return 'failed';
  return terms.tries === 1 && isRefused(attempt) ? 'failed' : 'unknown';
}

const isWorthRepeating = (attempt: Attempt): boolean =>
  attempt.kind === 'answered' ? attempt.status >= 500 : attempt.isTransient;

/** Returns whether nothing can have happened. */
const isRefused = (attempt: Attempt): boolean =>
  attempt.kind === 'answered'
    ? attempt.status >= 400 && attempt.status < 500 && !attempt.mayHaveActed
    : !attempt.mayHaveArrived;

/** Returns the next step for a call begun but not finished by another process: its request may have been sent. */
export const afterCrash = ({ isRead, isRepeatable, tries }: AttemptTerms): 'again' | 'failed' | 'unknown' =>
  isRepeatable && tries < MAX_TRIES ? 'again' : isRead ? 'failed' : 'unknown';
