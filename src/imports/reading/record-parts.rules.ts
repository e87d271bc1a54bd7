import type { Finding } from '../findings.rules.ts';

/** As long as a message by the API may be. */
export const MAX_TEXT_LENGTH = 50_000;
const MAX_DATA_KEYS = 100;
const MAX_DATA_BYTES = 32 * 1024;
const MAX_KEY_LENGTH = 255;
const MAX_VALUE_LENGTH = 5_000;

/** Returns a text as the database takes it. */
export const clean = (text: string): string => text.replaceAll('\u0000', '').toWellFormed();

/** Returns a text without white space around it. Undefined if nothing is left. */
export function filled(text: string | null | undefined): string | undefined {
  const trimmed = clean(text ?? '').trim();
  return trimmed === '' ? undefined : trimmed;
}

/** Returns the id of a record as text: sources give numbers or texts. */
export const idTextOf = (id: string | number): string => clean(String(id)).slice(0, 255);

/** Returns a time given as ISO 8601, or as seconds since 1970. Undefined for anything else, and for what has not come yet. */
export function timeOf(given: string | number | null | undefined): Date | undefined {
  if (given === null || given === undefined || given === '') return undefined;
  const isNumber = typeof given === 'number' || /^\d+(\.\d+)?$/.test(given);
  const time = isNumber ? new Date(Number(given) * 1000) : new Date(withZone(given));
  const ms = time.getTime();
  return Number.isNaN(ms) || ms < 0 || ms > Date.now() + 60_000 ? undefined : time;
}

/** A time without a zone is in UTC, as sources write it. */
const withZone = (text: string) =>
  /^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(text) ? `${text.replace(' ', 'T')}Z` : text.replace(/ UTC$/, 'Z');

/** Returns values by key as custom data, and what was left out of them. Empty values and keys are not there. */
export function dataOf(values: Iterable<[string, unknown]>, findings: Finding[]): Record<string, string> {
  const data: [string, string][] = [];
  let bytes = 0;
  let omitted = 0;
  for (const [name, value] of values) {
    const [key, text] = [filled(name), textOfValue(value)];
    if (key === undefined || text === undefined) continue;
    const size = Buffer.byteLength(key) + Buffer.byteLength(text) + 6;
    const fits = key.length <= MAX_KEY_LENGTH && text.length <= MAX_VALUE_LENGTH;
    if (!fits || data.length >= MAX_DATA_KEYS || bytes + size > MAX_DATA_BYTES) omitted++;
    else {
      data.push([key, text]);
      bytes += size;
    }
  }
  if (omitted > 0)
    findings.push({
      code: 'fields_left_out',
      reason: `${omitted} fields: at most ${MAX_DATA_KEYS} of ${MAX_VALUE_LENGTH} characters, and ${MAX_DATA_BYTES / 1024} kB in all`,
    });
  return Object.fromEntries(data);
}

function textOfValue(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return filled(value.map(textOfValue).filter(Boolean).join(', '));
  return filled(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Returns the text of a message with its files as links, and records what was cut. */
export function messageText(text: string, files: { name: string; url: string }[], findings: Finding[]): string {
  const links = files.map(({ name, url }) => `${name}: ${url}`).join('\n');
  const whole = [clean(text).trim(), links].filter((part) => part !== '').join('\n\n');
  if (whole.length <= MAX_TEXT_LENGTH) return whole;
  findings.push({
    code: 'text_cut',
    reason: `A message has more than ${MAX_TEXT_LENGTH} characters: the rest is left out`,
  });
  return whole.slice(0, MAX_TEXT_LENGTH).toWellFormed();
}
