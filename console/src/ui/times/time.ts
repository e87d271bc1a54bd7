import { useEffect, useState } from 'react';

const MINUTE = 60_000;
const UNITS: [name: string, minutes: number][] = [
  ['d', 1_440],
  ['h', 60],
  ['min', 1],
];

/** Returns a duration as people say it: 4 min, 2 h, 3 d. */
export function shownDuration(ms: number): string {
  const minutes = Math.floor(Math.abs(ms) / MINUTE);
  const [name, size] = UNITS.find(([, least]) => minutes >= least) ?? ['min', 1];
  return minutes < 1 ? 'now' : `${Math.floor(minutes / size)} ${name}`;
}

export const shownSince = (iso: string): string => shownDuration(Date.now() - Date.parse(iso));

export const shownClock = (iso: string): string =>
  new Date(iso).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });

export const shownDay = (iso: string): string =>
  new Date(iso).toLocaleDateString(undefined, { weekday: 'long', day: 'numeric', month: 'long' });

/** Returns a moment as people say it: Mon 30 Nov, 09:00. */
export const shownMoment = (iso: string): string =>
  new Date(iso).toLocaleString(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });

/** Renders again now and then: durations grow. */
export function useTick(everyMs: number): void {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
