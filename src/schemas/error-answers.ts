import { z } from 'zod';

/** The answer to a request that failed. */
export const ErrorAnswer = z
  .object({
    statusCode: z.int(),
    message: z.string(),
    error: z.string(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
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
