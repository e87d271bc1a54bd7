import type { Schemas } from '../../../api/client';

export type DayRange = Schemas['ShiftFields']['day_of_week'];

export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Day = (typeof DAYS)[number];

const from = (first: number, count: number): Day[] =>
  Array.from({ length: count }, (_, n) => DAYS[(first + n) % DAYS.length] ?? 'monday');

/** The days that each value of the API means. */
const RANGES: Record<DayRange, { name: string; days: Day[] }> = {
  monday: { name: 'Monday', days: ['monday'] },
  tuesday: { name: 'Tuesday', days: ['tuesday'] },
  wednesday: { name: 'Wednesday', days: ['wednesday'] },
  thursday: { name: 'Thursday', days: ['thursday'] },
  friday: { name: 'Friday', days: ['friday'] },
  saturday: { name: 'Saturday', days: ['saturday'] },
  sunday: { name: 'Sunday', days: ['sunday'] },
  monday_to_friday: { name: 'Monday to Friday', days: from(0, 5) },
  everyday: { name: 'Every day', days: from(0, 7) },
  sunday_to_thursday: { name: 'Sunday to Thursday', days: from(6, 5) },
  friday_and_saturday: { name: 'Friday and Saturday', days: from(4, 2) },
  sunday_and_monday: { name: 'Sunday and Monday', days: from(6, 2) },
};
export const RANGE_OPTIONS = (Object.keys(RANGES) as DayRange[]).map((range) => [range, RANGES[range].name] as const);

const DAY_MINUTES = 1_440;

/** Returns a time of the API in minutes since midnight: 09:30:00, or 24:00:00 at the end of the day. */
function minutesOf(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return hours * 60 + minutes + (seconds === 59 ? 1 : 0);
}

export interface Span {
  from: number;
  to: number;
}

/** Returns when a day is open, in minutes. What ends after midnight continues on the next day. */
export function spansOn(day: Day, shifts: Schemas['ShiftFields'][]): Span[] {
  const before = DAYS[(DAYS.indexOf(day) + DAYS.length - 1) % DAYS.length] ?? 'sunday';
  return shifts.flatMap(({ day_of_week, start_time, end_time }) => {
    const [start, end] = [minutesOf(start_time), minutesOf(end_time)];
    const isOver = end <= start;
    const { days } = RANGES[day_of_week];
    return [
      ...(days.includes(day) ? [{ from: start, to: isOver ? DAY_MINUTES : end }] : []),
      ...(isOver && days.includes(before) && end > 0 ? [{ from: 0, to: end }] : []),
    ];
  });
}

export const shareOfDay = (minutes: number): string => `${(minutes / DAY_MINUTES) * 100}%`;
const twoDigits = (count: number): string => `${count}`.padStart(2, '0');
export const shownTime = (minutes: number): string =>
  `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
