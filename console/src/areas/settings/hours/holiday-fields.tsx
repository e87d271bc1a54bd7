import type { Schemas } from '../../../api/client';
import { Button } from '../../../ui/parts';

type Holiday = Schemas['Holiday'];

interface HolidayFieldsProps {
  holidays: Holiday[];
  onChange: (holidays: Holiday[]) => void;
}

const BOX = 'h-9 rounded-md border border-line bg-page px-2';

/** Days that are closed, whatever the shifts say. */
export const HolidayFields = ({ holidays, onChange }: HolidayFieldsProps) => {
  const change = (n: number, changes: Partial<Holiday>) =>
    onChange(holidays.map((holiday, m) => (m === n ? { ...holiday, ...changes } : holiday)));
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1 text-xs text-quiet">Holidays, closed from midnight to midnight</legend>
      {holidays.map(({ date, name }, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two holidays may be the same while they are written
        <div key={n} className="flex flex-wrap items-center gap-2">
          <input
            type="date"
            required
            aria-label={`Date of holiday ${n + 1}`}
            value={date}
            onChange={({ target }) => change(n, { date: target.value })}
            className={BOX}
          />
          <input
            aria-label={`Name of holiday ${n + 1}`}
            placeholder="Name"
            maxLength={255}
            value={name ?? ''}
            onChange={({ target }) => change(n, { name: target.value === '' ? undefined : target.value })}
            className={`${BOX} min-w-0 flex-1 basis-32 placeholder:text-quiet`}
          />
          <Button
            look="quiet"
            aria-label={`Remove holiday ${n + 1}`}
            onClick={() => onChange(holidays.filter((_, m) => m !== n))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button onClick={() => onChange([...holidays, { date: '' }])}>Add a holiday</Button>
    </fieldset>
  );
};
