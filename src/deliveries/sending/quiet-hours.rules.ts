import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { clockChangeOrEnd, DAY_MS, isTimeZone, modulo, wallClockMsAt } from '../../orgs/time-zones.rules.ts';

/** Times of day as HH:mm; `start` belongs to the window, `end` does not. It crosses midnight where `end` is not after `start`. */
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

/** A calendar day in some zone: `start` belongs to it, `end` is the start of the next. */
export interface LocalDay {
  start: Date;
  end: Date;
  date: string;
}

const MAX_WAIT_MS = 2 * DAY_MS;

/** Where most people of a wide country live. They decide when a window leaves the country no hour of the day. */
const MAIN_ZONES: Record<string, string> = {
  AU: 'Australia/Sydney',
  BR: 'America/Sao_Paulo',
  CA: 'America/Toronto',
  MX: 'America/Mexico_City',
  RU: 'Europe/Moscow',
  US: 'America/New_York',
};

/**
 * Null outside quiet hours, else the first instant at which the zone's wall clock is outside. Only the wall clock counts: where clocks are
 * put forward over the end, quiet hours end with the jump; an hour that happens twice is quiet both times.
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
 * Null where it is quiet in none of the zones, else the first instant when that is so: a number in the US is not written to at 08:00 in
 * New York while Los Angeles sleeps. Where no such instant comes within 48 hours, the window is too long for so wide a country, and the
 * first zone decides alone.
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

/** Why a send waits that `quietUntilEverywhere` puts off, for the ledger: names the first zone in which it is quiet. */
export function quietReason(at: Date, zones: Zones, window: QuietWindow): string {
  const zone = zones.find((name) => quietUntil(at, name, window) !== null) ?? zones[0];
  const time = new Date(wallClockMsAt(at.getTime(), zone)).toISOString().slice(11, 16);
  return `quiet_hours: ${time} in ${zone} is within ${window.start} to ${window.end}`;
}

/**
 * The zones in which a contact may be: the one its `custom_data.timezone` names; else all of its number's country; else the
 * org's; else UTC. A number that several countries share has the zones of all of them. The main zone of a wide country comes first.
 */
export function recipientZones({ phone_number, custom_data }: Recipient, orgTimeZone: string | null): Zones {
  const named = typeof custom_data.timezone === 'string' ? custom_data.timezone.trim() : '';
  if (isTimeZone(named)) return [named];
  return zonesOf(countriesOf(phone_number)) ?? [orgTimeZone ?? 'UTC'];
}

/** The zone's calendar day that contains the instant: 23 to 25 hours, or whatever the zone made of it. */
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

/** The first instant from `from` on at which the wall clock has no time left to run, as told by `leftMs`. */
function firstInstantFrom(from: number, timeZone: string, leftMs: (wallMs: number) => number): number {
  let at = from;
  for (;;) {
    const left = leftMs(wallClockMsAt(at, timeZone));
    if (left === 0) return at;
    at = clockChangeOrEnd(at, at + left, timeZone);
  }
}

/** The number's country, or all that it may belong to; none for numbers of no country, such as +800. */
function countriesOf(phoneNumber: string | null): string[] {
  const parsed = phoneNumber === null ? undefined : parsePhoneNumberFromString(phoneNumber);
  return parsed?.country === undefined ? (parsed?.getPossibleCountries() ?? []) : [parsed.country];
}

/** Asking ICU takes 300 µs a country. */
const zonesByCountries = new Map<string, Zones | undefined>();

/** Undefined where the countries have no zones, as Kosovo in ICU. */
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
