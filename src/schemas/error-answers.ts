import { z } from 'zod';
import { keysOf } from '../collections/checked-access.ts';
import { ERROR_CODES } from '../error-codes.ts';

/** The answer to a request that failed. */
export const ErrorAnswer = z
  .object({
    statusCode: z.int(),
    message: z.string(),
    error: z.string(),
    code: z.enum(keysOf(ERROR_CODES)).describe('For programs: it stays the same where the message is changed.'),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    conflicting: z
      .object({ type: z.string(), id: z.string(), field: z.string() })
      .optional()
      .describe('The row that has the value, with the code `already_exists`.'),
    limit: z.string().optional().describe('The limit that is reached, of several of one code.'),
  })
  .meta({ id: 'Error' });
export type ErrorAnswer = z.infer<typeof ErrorAnswer>;

type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 410 | 412 | 413 | 415 | 422 | 429 | 500 | 503;
type Always = 400 | 401 | 413 | 415 | 422 | 429 | 503;

/** Returns the error answers of a route, including those common to all routes. */
export function errorResponses<S extends ErrorStatus>(...statuses: S[]): Record<S | Always, typeof ErrorAnswer> {
  const all = [...new Set<ErrorStatus>([400, 401, 413, 415, 422, 429, 503, ...statuses])].sort();
  return Object.fromEntries(all.map((status) => [status, ErrorAnswer])) as Record<S | Always, typeof ErrorAnswer>;
}
