import { messageOf } from '../errors.ts';
import { ExtractionError, type Failure } from './contract.ts';

/** Returns the failure of reading a page. Any error but an ExtractionError makes the page unreadable. */
export const failureOf = (error: unknown): Failure =>
  error instanceof ExtractionError
    ? { code: error.code, message: error.message }
    : { code: 'unreadable', message: `The page cannot be read: ${messageOf(error)}` };
