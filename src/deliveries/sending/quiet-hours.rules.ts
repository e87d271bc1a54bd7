import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { ianaNameOf } from '../../orgs/time-zone-names.rules.ts';
import { clockChangeOrEnd, DAY_MS, modulo, wallClockMsAt } from '../../orgs/time-zones.rules.ts';

/**
 * Times of day as HH:mm. `start` is within the window, `end` is not. The window crosses midnight unless `end` is after
 * `start`. 24:00 is the midnight at the end of the day.
 */
export interface QuietWindow {
  start: string;
  end: string;
}

export interface Recipient {
  phone_number: string | null;
  custom_data: Readonly<Record<string, unknown>>;
}

/** Names of time zones, at least one. */
export type Zones = readonly [string, ...string[]];

/** A calendar day in some zone. `start` is within the day, `end` is the start of the next. */
export interface LocalDay {
  start: Date;
  end: Date;
  date: string;
}

const MAX_WAIT_MS = 2 * DAY_MS;
const MAX_SHOWN_NAME = 40;

/** The most populous zones of wide countries. They decide if a window leaves no hour of the day for the whole country. */
const MAIN_ZONES: Record<string, string> = {
  AU: 'Australia/Sydney',
  BR: 'America/Sao_Paulo',
  CA: 'America/Toronto',
  MX: 'America/Mexico_City',
  RU: 'Europe/Moscow',
  US: 'America/New_York',
};

/**
 * Returns null outside quiet hours, else the first instant outside of them by the zone's wall clock. Only the wall
 * clock counts: if the clocks skip the end, quiet hours end with the jump. An hour repeated by the clocks is quiet both
 * times.
 */
export function quietUntil(at: Date, timeZone: string, { start, end }: QuietWindow): Date | null {
  const startMs = msOfDay(start);
  const lengthMs = modulo(msOfDay(end) - startMs, DAY_MS);
  const until = firstInstantFrom(at.getTime(), timeZone, (wallMs) =>
    Math.max(lengthMs - modulo(wallMs - startMs, DAY_MS), 0),
  );
  return until === at.getTime() ? null : new Date(until);
}

/**
 * Returns null if it is quiet in none of the zones, else the first such instant: a number in the US gets nothing at
 * 08:00 New York time, during Los Angeles' night. If there is no such instant within 48 hours, the window is too long
 * for so wide a country, and the first zone alone decides.
 */
export function quietUntilInAll(at: Date, zones: Zones, window: QuietWindow): Date | null {
  const latest = at.getTime() + MAX_WAIT_MS;
  let free = at;
  while (free.getTime() <= latest) {
    const ends = zones.flatMap((zone) => quietUntil(free, zone, window)?.getTime() ?? []);
    if (ends.length === 0) return free === at ? null : free;
    free = new Date(Math.max(...ends));
  }
  return quietUntil(at, zones[0], window);
}

/** Returns the ledger's reason for a send deferred by `quietUntilInAll`. It names the first quiet zone. */
export function quietReason(at: Date, zones: Zones, window: QuietWindow): string {
  const zone = zones.find((name) => quietUntil(at, name, window) !== null) ?? zones[0];
  const time = new Date(wallClockMsAt(at.getTime(), zone)).toISOString().slice(11, 16);
  return `quiet_hours: ${time} in ${zone} is within ${window.start} to ${window.end}`;
}

/** Returns a sentence about a contact's own time zone that is none, to follow a reason. Empty for any other contact. */
export function unknownZoneIn(recipient: Recipient): string {
  const own = ownZoneOf(recipient);
  return own === undefined || ianaNameOf(own) !== undefined
    ? ''
    : `. The contact's timezone "${own.slice(0, MAX_SHOWN_NAME)}" is not an IANA time zone`;
}

/** Returns the text of `custom_data.timezone`. */
function ownZoneOf({ custom_data: { timezone } }: Recipient): string | undefined {
  return typeof timezone === 'string' && timezone.trim() !== '' ? timezone.trim() : undefined;
}

/**
 * Returns the possible zones of a contact: the IANA zone in its `custom_data.timezone`, else all zones of its number's
 * country, else the org's zone, else UTC. A number shared by several countries has the zones of all of them. The main
 * zone of a wide country comes first.
 */
export function recipientZones(recipient: Recipient, orgTimeZone: string | null): Zones {
  const named = ianaNameOf(ownZoneOf(recipient) ?? '');
  if (named !== undefined) return [named];
  return zonesOf(countriesOf(recipient.phone_number)) ?? [orgTimeZone ?? 'UTC'];
}

/** Returns the zone's calendar day around the instant: 23 to 25 hours, or any other length after unusual clock changes. */
export function dayOf(at: Date, timeZone: string): LocalDay {
  const dayMs = Math.floor(wallClockMsAt(at.getTime(), timeZone) / DAY_MS) * DAY_MS;
  const firstFrom = (from: number, midnight: number) =>
    new Date(firstInstantFrom(from, timeZone, (wallMs) => Math.max(midnight - wallMs, 0)));
  return {
    start: firstFrom(at.getTime() - 2 * DAY_MS, dayMs),
    end: firstFrom(at.getTime(), dayMs + DAY_MS),
    date: new Date(dayMs).toISOString().slice(0, 10),
  };
}

/** Returns the first instant at or after `from` with a `leftMs` of zero for its wall clock. */
function firstInstantFrom(from: number, timeZone: string, leftMs: (wallMs: number) => number): number {
  let at = from;
  for (;;) {
    const remaining = leftMs(wallClockMsAt(at, timeZone));
    if (remaining === 0) return at;
    at = clockChangeOrEnd(at, at + remaining, timeZone);
  }
}

/** Returns the number's country, or all possible ones. Returns none for numbers without a country, such as +800. */
function countriesOf(phoneNumber: string | null): string[] {
  const parsed = phoneNumber === null ? undefined : parsePhoneNumberFromString(phoneNumber);
  return parsed?.country === undefined ? (parsed?.getPossibleCountries() ?? []) : [parsed.country];
}

/** A cache: asking ICU takes 300 µs per country. */
const zonesByCountries = new Map<string, Zones | undefined>();

/** Returns undefined if the countries have no zones, as Kosovo in ICU. */
function zonesOf(countries: string[]): Zones | undefined {
  const key = countries.join();
  if (zonesByCountries.has(key)) return zonesByCountries.get(key);
  const main = countries.flatMap((country) => MAIN_ZONES[country] ?? []);
  const [first, ...others] = new Set([...main, ...countries.flatMap(zonesOfCountry)]);
  const zones: Zones | undefined = first === undefined ? undefined : [first, ...others];
  zonesByCountries.set(key, zones);
  return zones;
}

function zonesOfCountry(country: string): string[] {
  const locale: Intl.Locale & { getTimeZones?(): string[] | undefined } = new Intl.Locale(`und-${country}`); // not in TypeScript's library yet
  return locale.getTimeZones?.() ?? [];
}

const msOfDay = (time: string): number => Date.parse(`1970-01-01T${time}Z`);
