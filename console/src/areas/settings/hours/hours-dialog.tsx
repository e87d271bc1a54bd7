import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { officeHoursQuery } from '../../../api/settings';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { FIELD, Field } from '../../../ui/forms/fields';
import { Button } from '../../../ui/parts';
import { isSame } from '../../../ui/same';
import { useChange } from '../frame/use-change';
import { HolidayFields } from './holiday-fields';
import { RANGE_OPTIONS } from './week';
import { WeekGrid } from './week-grid';

type Hours = Schemas['OfficeHours'];
type Shift = Schemas['ShiftFields'] & { id?: string };

interface HoursDialogProps {
  /** What is changed. Nothing for new office hours. */
  existing: Hours | undefined;
  /** What new ones begin with. */
  copied?: Hours | undefined;
  onClose: () => void;
}

const ZONES = Intl.supportedValuesOf('timeZone');
const NINE_TO_FIVE: Shift = { day_of_week: 'monday_to_friday', start_time: '09:00:00', end_time: '17:00:00' };

/** The shifts of a week and the holidays, drawn as they are written. */
export const HoursDialog = ({ existing, copied, onClose }: HoursDialogProps) => {
  const base = existing ?? copied;
  const [shifts, setShifts] = useState<Shift[]>(base?.shifts ?? [NINE_TO_FIVE]);
  const [holidays, setHolidays] = useState<Schemas['Holiday'][]>(base?.holidays ?? []);
  const save = useChange(
    async (written: { name: string; iana_timezone: string }): Promise<void> => {
      const body = { ...written, holidays: holidays.filter(({ date }) => date !== '') };
      if (existing !== undefined) {
        const kept = shifts.flatMap((shift) => (shift.id === undefined ? [] : [{ ...shift, id: shift.id }]));
        const params = { path: { id: existing.id } };
        // They are stored as a whole: what others have saved meanwhile stays.
        const now = await dataOf(api.GET('/office-hours/{id}', { params }));
        const whole = mergeOf({ ...body, shifts: kept }, existing, now);
        const others = now.shifts.filter(({ id }) => !existing.shifts.some((shift) => shift.id === id)).map(hoursOf);
        const added = shifts.flatMap(({ id, ...shift }) =>
          id === undefined && !others.includes(hoursOf(shift)) ? [shift] : [],
        );
        await dataOf(api.PUT('/office-hours/{id}', { params, body: { ...whole, new_shifts: added } }));
      } else {
        const withoutIds = shifts.map(({ id: _, ...shift }) => shift);
        await dataOf(api.POST('/office-hours', { body: { ...body, shifts: withoutIds } }));
      }
    },
    { stale: [officeHoursQuery.queryKey, ['getOfficeHoursStatus']], says: 'Saved' },
  );
  const onSubmit = (form: FormData) =>
    save.mutate(
      { name: String(form.get('name')).trim(), iana_timezone: String(form.get('zone')).trim() },
      { onSuccess: onClose },
    );
  const change = (n: number, changes: Partial<Shift>) =>
    setShifts(shifts.map((shift, m) => (m === n ? { ...shift, ...changes } : shift)));
  return (
    <FormDialog
      title={existing === undefined ? 'New office hours' : existing.name}
      action="Save"
      request={save}
      onSubmit={onSubmit}
      onClose={onClose}
      className="w-[40rem]"
    >
      <div className="grid gap-4 min-[480px]:grid-cols-2">
        <Field label="Name">
          <input
            name="name"
            required
            maxLength={255}
            defaultValue={existing?.name ?? (copied === undefined ? '' : `${copied.name} (new)`)}
            className={FIELD}
          />
        </Field>
        <Field label="Time zone">
          <input
            name="zone"
            required
            list="zones"
            defaultValue={base?.iana_timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
            className={FIELD}
          />
        </Field>
        <datalist id="zones">
          {ZONES.map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </div>
      <fieldset className="space-y-2">
        <legend className="mb-1 text-xs text-quiet">
          Shifts. One that ends before it begins ends on the next day.
        </legend>
        {shifts.map((shift, n) => (
          <ShiftRow
            // biome-ignore lint/suspicious/noArrayIndexKey: shifts have no other name until they are saved
            key={n}
            n={n}
            shift={shift}
            onChange={(changes) => change(n, changes)}
            onRemove={() => setShifts(shifts.filter((_, m) => m !== n))}
          />
        ))}
        <Button onClick={() => setShifts([...shifts, NINE_TO_FIVE])}>Add a shift</Button>
      </fieldset>
      <WeekGrid shifts={shifts} />
      <HolidayFields holidays={holidays} onChange={setHolidays} />
    </FormDialog>
  );
};

type Saved = Pick<Hours, 'name' | 'iana_timezone' | 'shifts' | 'holidays'>;

/** Returns the written values that differ from the dialog's first ones, and all others as they are now. */
function mergeOf(written: Saved, begun: Saved, now: Saved): Saved {
  const isKept = (name: keyof Saved) => isSame(written[name], begun[name]);
  return {
    name: isKept('name') ? now.name : written.name,
    iana_timezone: isKept('iana_timezone') ? now.iana_timezone : written.iana_timezone,
    shifts: shiftsOf(written.shifts, begun.shifts, now.shifts),
    holidays: isKept('holidays') ? now.holidays : written.holidays,
  };
}

/** Returns the shifts as they are now, without those removed here, and with those changed here as they were written. */
const shiftsOf = (written: Hours['shifts'], begun: Hours['shifts'], now: Hours['shifts']): Hours['shifts'] =>
  now.flatMap((shift) => {
    const before = begun.find(({ id }) => id === shift.id);
    if (before === undefined) return [shift];
    const mine = written.find(({ id }) => id === shift.id);
    if (mine === undefined) return [];
    return [hoursOf(mine) === hoursOf(before) ? shift : mine];
  });

/** Returns the days and times of a shift, to be compared. */
const hoursOf = ({ day_of_week, start_time, end_time }: Shift): string =>
  [day_of_week, start_time, end_time.replace(/^24/, '00')].join(' ');

interface ShiftRowProps {
  n: number;
  shift: Shift;
  onChange: (changes: Partial<Shift>) => void;
  onRemove: () => void;
}

const TIME = 'h-9 rounded-md border border-line bg-page px-2';

const ShiftRow = ({ n, shift, onChange, onRemove }: ShiftRowProps) => (
  <div className="flex flex-wrap items-center gap-2">
    <select
      aria-label={`Days of shift ${n + 1}`}
      value={shift.day_of_week}
      onChange={({ target }) => onChange({ day_of_week: target.value as Shift['day_of_week'] })}
      className={`${TIME} min-w-0 flex-1 basis-36`}
    >
      {RANGE_OPTIONS.map(([range, name]) => (
        <option key={range} value={range}>
          {name}
        </option>
      ))}
    </select>
    <input
      type="time"
      required
      aria-label={`Beginning of shift ${n + 1}`}
      value={shift.start_time.slice(0, 5)}
      onChange={({ target }) => onChange({ start_time: `${target.value}:00` })}
      className={TIME}
    />
    <input
      type="time"
      required
      aria-label={`End of shift ${n + 1}`}
      value={shift.end_time.startsWith('24') ? '00:00' : shift.end_time.slice(0, 5)}
      onChange={({ target }) => onChange({ end_time: `${target.value}:00` })}
      className={TIME}
    />
    <Button look="quiet" aria-label={`Remove shift ${n + 1}`} onClick={onRemove}>
      Remove
    </Button>
  </div>
);
