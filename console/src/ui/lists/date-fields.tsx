import { useState } from 'react';

/** A number of days after the beginning of a day of this browser's clock. */
function momentAfter(day: string, days: number): string | undefined {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return day === '' ? undefined : new Date(year, month - 1, date + days).toISOString();
}

/** The day of a moment that is so many milliseconds earlier, as a field of a date has it. */
function dayBefore(moment: string | undefined, ms: number): string {
  const at = new Date(Date.parse(moment ?? '') - ms);
  return Number.isNaN(at.getTime()) ? '' : at.toLocaleDateString('sv'); // YYYY-MM-DD
}

interface DateFieldsProps {
  /** What has the dates: opened. */
  what: string;
  /** The moments of the range: the first in it, and the first behind it. */
  from: string | undefined;
  to: string | undefined;
  onChange: (range: { from?: string | undefined; to?: string | undefined }) => void;
}

/** The first and the last day of a range, as two of the filters of a list. */
export const DateFields = ({ what, from, to, onChange }: DateFieldsProps) => (
  <>
    <Day
      label={`${what} from`}
      day={dayBefore(from, 0)}
      onChoose={(day) => onChange({ from: momentAfter(day, 0), to })}
    />
    <Day
      label={`${what} until`}
      day={dayBefore(to, 1)}
      onChoose={(day) => onChange({ from, to: momentAfter(day, 1) })}
    />
  </>
);

/** Shorter years are those that are still typed. */
const FIRST_YEAR = '1000';

const Day = ({ label, day, onChoose }: { label: string; day: string; onChoose: (day: string) => void }) => {
  const [typed, type] = useState<string>();
  return (
    <label className="block min-w-0">
      <span className="text-xs text-quiet">{label}</span>
      <input
        type="date"
        value={typed ?? day}
        onChange={({ target: { value } }) => {
          type(value);
          if (value === '' || value >= FIRST_YEAR) onChoose(value);
        }}
        onBlur={() => type(undefined)}
        className="h-8 w-full rounded-md border border-line bg-surface px-1.5 hover:bg-hover"
      />
    </label>
  );
};
