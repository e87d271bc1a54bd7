const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const UUID_ADDRESS = /[0-9a-f-]{36}@/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const LOCAL_ADDRESS = /https?:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?/g;
const TOKEN = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const SECRET = /(?<=whsec_)[A-Za-z0-9+/=]{20,}|(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{24,}(?![\w-])/g;
/** A public key, of which the beginning shows what it is. */
const PUBLIC_KEY = /(?<=p=MII[\w+/]{17})[\w+/]+=*/g;
const CURSOR = /(?<="next":")[A-Za-z0-9_-]{24,}(?=")/g;
const FRACTION = /(?<=[[:,]-?\d+\.)\d{5,}(?=[,}\]])/g;
const FIRST_TIME = Date.UTC(2026, 0, 15, 9);
const FRACTION_DIGITS = 4;
const MINUTE_MS = 60_000;
const OBJECTS_PER_LIST = 2;

/**
 * Returns an exchange's bodies with ids, times, addresses and secrets that are the same in every run: each id by the
 * order in which it comes, each time a minute after the one before it. Fractions have four digits.
 */
export function stable<Bodies>(bodies: Bodies): Bodies {
  const text = withShortKeys(JSON.stringify(bodies));
  const ids = [...new Set(text.match(UUID) ?? [])];
  const times = [...new Set(text.match(TIME) ?? [])].toSorted();
  return shortened(
    JSON.parse(
      text
        .replace(UUID_ADDRESS, 'ann@')
        .replace(UUID, (id) => `01900000-0000-7000-8000-${String(ids.indexOf(id) + 1).padStart(12, '0')}`)
        .replace(TIME, (time) => new Date(FIRST_TIME + times.indexOf(time) * MINUTE_MS).toISOString())
        .replace(LOCAL_ADDRESS, 'https://support.example.com')
        .replace(CURSOR, 'ExampleOfACursor')
        .replace(FRACTION, (digits) => digits.slice(0, FRACTION_DIGITS))
        .replace(SECRET, 'ExampleOfASecret0000000000000000'),
    ),
  );
}

/** Returns a text with only the beginnings of public keys, and short tokens. */
export const withShortKeys = (text: string): string =>
  text.replace(PUBLIC_KEY, '').replace(TOKEN, 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl');

/**
 * Returns bodies whose page, or answer that is a list, has one item, which shows as much as several. Lists of objects
 * within have two.
 */
export function shortened<Bodies>(bodies: Bodies): Bodies {
  const { answer } = bodies as { answer?: { items?: unknown } };
  if (answer === undefined) return bodies;
  if (Array.isArray(answer)) return { ...bodies, answer: withShortLists(answer.slice(0, 1)) };
  const page = Array.isArray(answer?.items) ? { ...answer, items: answer.items.slice(0, 1) } : answer;
  return { ...bodies, answer: withShortLists(page) };
}

function withShortLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withShortLists(inner)]));
  const isOfObjects = value.every((item) => typeof item === 'object');
  return (isOfObjects ? value.slice(0, OBJECTS_PER_LIST) : value).map(withShortLists);
}
