import { invalid } from './errors.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
/** Ten years of days: the largest number of periods. */
const MAX_DAYS = 3_660;

/** The times that a report covers, without `to` itself. */
export interface ReportRange {
  from: Date;
  to: Date;
}

/**
 * Returns the range of a report: until now and 30 days long, unless the query says otherwise. Throws invalid for a range
 * that ends before it begins, or is too long.
 */
export function reportRangeOf({ from, to }: { from?: string | undefined; to?: string | undefined }): ReportRange {
  const end = to === undefined ? new Date() : new Date(to);
  const start = from === undefined ? new Date(end.getTime() - DEFAULT_DAYS * DAY_MS) : new Date(from);
  const days = (end.getTime() - start.getTime()) / DAY_MS;
  if (days < 0) throw refusedQuery('from', 'must not be after `to`');
  if (days > MAX_DAYS) throw refusedQuery('from', `must be at most ${MAX_DAYS} days before \`to\``);
  return { from: start, to: end };
}

/** A parameter of the query that cannot be answered. */
export const refusedQuery = (name: string, message: string) =>
  invalid(`The request is not valid: querystring.${name}: ${message}`, [{ path: `querystring.${name}`, message }]);
