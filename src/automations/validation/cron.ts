import { nextTimeOf } from '../triggers/cron-times.ts';

/** Syntax supported by both croner and Temporal: numbers, names, lists, ranges and steps. */
const CRON_FIELD = /^[0-9*/,-]+$/;
const MONTH_NAMES = /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\b/gi;
const WEEKDAY_NAMES = /\b(sun|mon|tue|wed|thu|fri|sat)\b/gi;

/**
 * Returns the problem of a cron expression with five fields, or undefined if it is valid. The time zone must be valid. Both
 * days must match, as in Temporal.
 */
export function problemOfCronExpression(expression: string, timezone: string): string | undefined {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== 5) return 'must have five fields: minute, hour, day of month, month, day of week';
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  const bare = [minute, hour, day, month.replace(MONTH_NAMES, '1'), weekday.replace(WEEKDAY_NAMES, '1')];
  const odd = bare.findIndex((field) => !CRON_FIELD.test(field));
  if (odd >= 0) return `its field ${odd + 1} must be of numbers, *, lists, ranges and steps`;
  try {
    return nextTimeOf({ cron: fields.join(' '), timezone }) === undefined ? 'never comes' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^CronPattern: /, '') : 'is no cron expression';
  }
}
