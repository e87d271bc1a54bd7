/** Requests that may be repeated are sent this often. */
const MAX_TRIES = 3;

/** The outcome of a request. */
export type Attempt =
  | { kind: 'answered'; status: number; isRedirected: boolean }
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
 * Returns what an attempt proves. `failed` stands only where the call surely did not happen: no earlier request can have
 * had an effect either. What may have happened is sent again if it may, and else is `unknown`.
 */
export function outcomeOf(attempt: Attempt, terms: AttemptTerms): 'done' | 'failed' | 'unknown' | 'again' {
  if (attempt.kind === 'answered' && attempt.status >= 200 && attempt.status < 300) return 'done';
  if (isWorthRepeating(attempt) && terms.isRepeatable && terms.tries < MAX_TRIES) return 'again';
  if (terms.isRead) return 'failed';
  return terms.tries === 1 && isRefused(attempt) ? 'failed' : 'unknown';
}

const isWorthRepeating = (attempt: Attempt): boolean =>
  attempt.kind === 'answered' ? attempt.status >= 500 : attempt.isTransient;

/** Returns whether nothing can have happened. After a redirect, the first server may have acted before. */
const isRefused = (attempt: Attempt): boolean =>
  attempt.kind === 'answered'
    ? attempt.status >= 400 && attempt.status < 500 && !attempt.isRedirected
    : !attempt.mayHaveArrived;

/**
 * Returns what follows for a call that another process began and did not finish: its request may have been sent.
 */
export const afterCrash = ({ isRead, isRepeatable, tries }: AttemptTerms): 'again' | 'failed' | 'unknown' =>
  isRepeatable && tries < MAX_TRIES ? 'again' : isRead ? 'failed' : 'unknown';
