import type { AnalyticsSearch } from '../../api/analytics';
import { beginningOf, dayIn, daysOf, isDay, plusDays } from './days';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 3_650;

/** What a report covers: days of the org's time zone, both included, and the moments at their ends. */
export interface Range {
  first: string;
  last: string;
  from: string;
  to: string;
}

/** Returns the range in an address, or the last 30 days with today. One that ends before it begins is turned round. */
export function rangeIn({ from, to }: AnalyticsSearch, zone: string): Range {
  const today = dayIn(zone, new Date());
  const end = isDay(to) ? to : today;
  const begin = isDay(from) ? from : plusDays(end, 1 - DEFAULT_DAYS);
  const [first, last] = begin <= end ? [begin, end] : [end, begin];
  return rangeOf(daysOf(first, last) > MAX_DAYS ? plusDays(last, 1 - MAX_DAYS) : first, last, zone);
}

const rangeOf = (first: string, last: string, zone: string): Range => ({
  first,
  last,
  from: beginningOf(first, zone),
  to: beginningOf(plusDays(last, 1), zone),
});

/** Returns the range of as many days directly before. */
export const rangeBefore = ({ first, last }: Range, zone: string): Range =>
  rangeOf(plusDays(first, -daysOf(first, last)), plusDays(first, -1), zone);

/** Returns the last days with today. */
export const lastDays = (days: number, zone: string) => {
  const to = dayIn(zone, new Date());
  return { from: plusDays(to, 1 - days), to };
};
