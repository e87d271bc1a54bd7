import { shownDuration } from './time';

/** Returns a moment whole, with its zone: Mon, 30 November 2026, 09:00:12 GMT+1. */
export const shownFully = (iso: string): string =>
  new Date(iso).toLocaleString(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  });

/** Returns the time of a moment to the second: 09:00:12. */
export const shownSecond = (iso: string): string =>
  new Date(iso).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Returns how far a moment is from now: 4 min ago, in 2 h, now. */
export function shownDistance(iso: string): string {
  const ms = Date.parse(iso) - Date.now();
  const duration = shownDuration(ms);
  if (duration === 'now') return ms < 0 ? 'just now' : 'now';
  return ms < 0 ? `${duration} ago` : `in ${duration}`;
}

/** Returns a day in few letters: Mon 30 Nov. */
export const shownShortDay = (iso: string): string =>
  new Date(iso).toLocaleDateString(undefined, { weekday: 'short', day: 'numeric', month: 'short' });

const UNITS: [name: string, minutes: number][] = [
  ['d', 1_440],
  ['h', 60],
];

/** Returns a number of minutes as people say it: 30 min, 2 h, 3 d. */
export function shownMinutes(minutes: number): string {
  const [name, size] = UNITS.find(([, least]) => minutes >= least && minutes % least === 0) ?? ['min', 1];
  return `${minutes / size} ${name}`;
}
