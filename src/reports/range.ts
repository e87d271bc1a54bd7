import { refusedQuery } from '../errors.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
/** Ten years of days: the largest number of periods. */
const MAX_DAYS = 3_660;
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T00:00:00Z');

/** The times that a report covers, without `to` itself. */
export interface ReportRange {
  from: Date;
  to: Date;
}

/**
 * Returns the range of a report: until now and 30 days long, unless the query says otherwise. Throws invalid for a range
 * that ends before it begins, is too long, or has times that cannot be written with a year of four digits. Its message
 * calls the parameters by the names.
 */
export function reportRangeOf(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  names: { from: string; to: string } = { from: 'from', to: 'to' },
): ReportRange {
  const end = to === undefined ? new Date() : new Date(to);
  const start = from === undefined ? new Date(end.getTime() - DEFAULT_DAYS * DAY_MS) : new Date(from);
  if (!isInYears(end)) throw refusedQuery(names.to, YEARS);
  if (!isInYears(start)) throw refusedQuery(names.from, YEARS);
  const days = (end.getTime() - start.getTime()) / DAY_MS;
  if (days < 0) throw refusedQuery(names.from, `must not be after \`${names.to}\``);
  if (days > MAX_DAYS) throw refusedQuery(names.from, `must be at most ${MAX_DAYS} days before \`${names.to}\``);
  return { from: start, to: end };
}

const YEARS = 'must be in the years 1 to 9999';
const isInYears = (time: Date): boolean => time.getTime() >= EARLIEST && time.getTime() < LATEST;
