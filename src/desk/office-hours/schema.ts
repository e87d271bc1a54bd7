import { z } from 'zod';
import { keysOf } from '../../collections/checked-access.ts';
import { Timezone } from '../../orgs/settings/schema.ts';
import { Cursor, Id, Name, Timestamp } from '../../schemas/parts.ts';
import { DAYS_OF } from './business-time.rules.ts';

const MAX_SHIFTS = 100;
const MAX_HOLIDAYS = 500;
const MIN_YEAR = 1970;
const MAX_YEAR = 2199;
const EXAMPLE_ID = '01900000-0000-7000-8000-000000000001';

const StartOfShift = z
  .string()
  .regex(/^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$/, 'must be a time of day as HH:mm:ss, 00:00:00 to 23:59:59');
const EndOfShift = z
  .string()
  .regex(
    /^(([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]|24:00:00)$/,
    'must be a time of day as HH:mm:ss, 00:00:00 to 24:00:00',
  );

const ShiftFields = z
  .object({
    day_of_week: z.enum(keysOf(DAYS_OF)),
    start_time: StartOfShift.describe('In the time zone of the office hours.'),
    end_time: EndOfShift.describe(
      'Where it closes. Before `start_time`: on the next day. The same as `start_time`: 24 hours later. `24:00:00` and `23:59:59` are the end of the day, with its last second.',
    ),
  })
  .meta({ id: 'ShiftFields' });
export type ShiftFields = z.infer<typeof ShiftFields>;

const Shift = ShiftFields.extend({ id: z.uuid('must be the id of a shift').toLowerCase() }).meta({ id: 'Shift' });
export type Shift = z.infer<typeof Shift>;

const Holiday = z
  .object({ date: z.iso.date('must be a date as YYYY-MM-DD'), name: Name.optional() })
  .meta({ id: 'Holiday' });
export type Holiday = z.infer<typeof Holiday>;

const Holidays = z
  .array(Holiday)
  .max(MAX_HOLIDAYS)
  .refine((holidays) => areDistinct(holidays.map(({ date }) => date)), 'must not name a date twice')
  .describe('Closed from midnight to midnight in the time zone, even during shifts that cross midnight.');

export const CreateOfficeHours = z
  .object({
    name: Name,
    iana_timezone: Timezone,
    shifts: z.array(ShiftFields).max(MAX_SHIFTS).describe('Overlapping shifts are merged. Without any: always closed.'),
    holidays: Holidays.default([]),
  })
  .meta({
    id: 'CreateOfficeHours',
    examples: [
      {
        name: 'Berlin',
        iana_timezone: 'Europe/Berlin',
        shifts: [
          { day_of_week: 'monday_to_friday', start_time: '09:00:00', end_time: '18:00:00' },
          { day_of_week: 'friday_and_saturday', start_time: '22:00:00', end_time: '02:00:00' },
        ],
        holidays: [{ date: '2026-12-25', name: 'Christmas Day' }],
      },
    ],
  });
export type CreateOfficeHours = z.infer<typeof CreateOfficeHours>;

export const UpdateOfficeHours = z
  .object({
    name: Name,
    iana_timezone: Timezone,
    shifts: z
      .array(Shift)
      .max(MAX_SHIFTS)
      .refine((shifts) => areDistinct(shifts.map(({ id }) => id)), 'must not name a shift twice')
      .describe('The complete list, each shift with its id. Shifts left out are deleted.'),
    new_shifts: z.array(ShiftFields).max(MAX_SHIFTS).default([]).describe('Shifts to add behind the others.'),
    holidays: Holidays.optional().describe('The complete list. Absent: the holidays stay unchanged.'),
  })
  .refine(({ shifts, new_shifts }) => shifts.length + new_shifts.length <= MAX_SHIFTS, {
    path: ['new_shifts'],
    message: `must leave at most ${MAX_SHIFTS} shifts in all`,
  })
  .meta({
    id: 'UpdateOfficeHours',
    examples: [
      {
        name: 'Berlin',
        iana_timezone: 'Europe/Berlin',
        shifts: [{ id: EXAMPLE_ID, day_of_week: 'everyday', start_time: '08:00:00', end_time: '20:00:00' }],
      },
      { name: 'Closed for the season', iana_timezone: 'Europe/Berlin', shifts: [], holidays: [] },
    ],
  });
export type UpdateOfficeHours = z.infer<typeof UpdateOfficeHours>;

export const OfficeHoursPath = z.object({ id: Id });

export const ListOfficeHours = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type ListOfficeHours = z.infer<typeof ListOfficeHours>;

export const OfficeHours = z
  .object({
    id: Id,
    name: z.string(),
    iana_timezone: z.string(),
    shifts: z.array(Shift),
    holidays: z.array(Holiday),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'OfficeHours' });

export const OfficeHoursPage = z.object({ items: z.array(OfficeHours), next: z.string().nullable() });

export const OfficeHoursStatusQuery = z.object({
  at: z.iso
    .datetime({ offset: true, abort: true, error: 'must be an ISO 8601 date-time, such as 2026-01-31T12:00:00Z' })
    .refine((text) => isWithinYears(new Date(text)), `must be in the years ${MIN_YEAR} to ${MAX_YEAR}`)
    .optional()
    .describe('Absent: now.'),
});

export const OfficeHoursStatus = z
  .object({
    open: z.boolean(),
    next_change_at: Timestamp.nullable().describe('When that changes. null: not within 400 days.'),
  })
  .meta({ id: 'OfficeHoursStatus' });

const isWithinYears = (at: Date): boolean => at.getUTCFullYear() >= MIN_YEAR && at.getUTCFullYear() <= MAX_YEAR;

const areDistinct = (texts: string[]): boolean => new Set(texts).size === texts.length;
