import leven from 'leven';
import tzdata from 'tzdata' with { type: 'json' };

const MAX_NEAREST = 3;
const MAX_TYPOS = 3;

/**
 * The names of the IANA time zone database in lower case, each with the name to store. A name without a region, except
 * UTC, is stored as the zone it links to: Postgres takes some of them, such as CET, for a fixed offset.
 */
const NAMES = new Map(
  Object.entries<unknown>(tzdata.zones)
    .filter(([name]) => name !== 'Factory') // a placeholder for an unset clock
    .map(([name, link]) => [name.toLowerCase(), isRegional(name) || typeof link !== 'string' ? name : link]),
);
const LAST_PARTS = [...NAMES.values()].map((name) => ({ name, part: plain(name.split('/').at(-1) ?? name) }));

/**
 * Returns the IANA name of a time zone, whatever its letter case, or undefined if there is none. Names that only some
 * programs know, such as PST, are none: they mean another zone, or nothing, to Postgres and Temporal.
 */
export const ianaNameOf = (name: string): string | undefined => NAMES.get(name.toLowerCase());

/** Returns what is wrong with the name of a time zone, with the nearest names. */
export function timeZoneProblem(name: string): string | undefined {
  if (ianaNameOf(name) !== undefined) return undefined;
  const nearest = nearestNames(name);
  return nearest.length === 0
    ? 'must be an IANA time zone such as Europe/Berlin'
    : `must be an IANA time zone such as ${nearest.join(' or ')}`;
}

function nearestNames(name: string): string[] {
  const last = plain(name.split('/').at(-1) ?? name);
  const similar = LAST_PARTS.map(({ name: known, part }) => ({ known, typos: leven(part, last) }))
    .filter(({ typos }) => typos <= Math.min(MAX_TYPOS, last.length / 3))
    .sort((one, other) => one.typos - other.typos)
    .map(({ known }) => known);
  return [...new Set([...legacyName(name), ...similar])].slice(0, MAX_NEAREST);
}

/** Returns what a browser understands by a name, such as America/Los_Angeles by PST. */
function legacyName(name: string): string[] {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    return NAMES.has(timeZone.toLowerCase()) && /^[A-Za-z]/.test(name) ? [timeZone] : [];
  } catch {
    return [];
  }
}

function isRegional(name: string): boolean {
  return name.includes('/') || name === 'UTC';
}

function plain(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
}
