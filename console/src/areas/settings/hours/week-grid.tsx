import type { Schemas } from '../../../api/client';
import { DAYS, shareOfDay, shownTime, spansOn } from './week';

/** A week, each day with the hours in which it is open. */
export const WeekGrid = ({ shifts }: { shifts: Schemas['ShiftFields'][] }) => (
  <ul aria-label="Open hours by day" className="space-y-1">
    {DAYS.map((day) => {
      const spans = spansOn(day, shifts);
      const says = spans.map(({ from, to }) => `${shownTime(from)} to ${shownTime(to)}`).join(', ') || 'closed';
      return (
        <li key={day} className="flex items-center gap-2">
          <span className="w-10 shrink-0 text-xs text-quiet capitalize" title={day}>
            {day.slice(0, 3)}
          </span>
          <span aria-hidden="true" className="relative h-4 min-w-0 flex-1 overflow-hidden rounded bg-sunken">
            {spans.map(({ from, to }) => (
              <span
                key={`${from}-${to}`}
                className="absolute inset-y-0 bg-(--accent)"
                style={{ left: shareOfDay(from), width: shareOfDay(to - from) }}
              />
            ))}
          </span>
          <span className="w-28 shrink-0 text-xs break-words tabular-nums">{says}</span>
        </li>
      );
    })}
  </ul>
);
