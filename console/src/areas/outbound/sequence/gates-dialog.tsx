import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { say } from '../../../app/undo';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { FIELD, Field } from '../../../ui/forms/fields';

interface GatesDialogProps {
  sequence: Schemas['Sequence'];
  onClose: () => void;
}

const TIME = '(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00';
const MAX = 1_000_000;

/** Changes the gates of a sequence. An empty field leaves it to the organization, or has no limit. */
export const GatesDialog = ({ sequence: { id, gates }, onClose }: GatesDialogProps) => {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (changed: Schemas['SequenceGates']) =>
      dataOf(api.PATCH('/sequences/{id}', { params: { path: { id } }, body: { gates: changed } })),
    onSuccess: () => {
      say('Changed');
      void client.invalidateQueries({ queryKey: ['getSequence', id] });
      void client.invalidateQueries({ queryKey: ['getSequenceStats', id] });
    },
  });
  const onSubmit = (form: FormData) => {
    const textOf = (name: string) => String(form.get(name) ?? '').trim();
    const numberOf = (name: string) => (textOf(name) === '' ? null : Number(textOf(name)));
    const { start = '', end = '' } = gates.quiet_hours ?? {};
    const hasOtherHours = textOf('start') !== start || textOf('end') !== end;
    const isEmpty = textOf('start') === '' && textOf('end') === '';
    const caps = (['daily_cap', 'sends_per_minute'] as const).filter(
      (name) => numberOf(name) !== (gates[name] ?? null),
    );
    const exits = (['exit_on_reply', 'exit_when_unmatched'] as const).filter(
      (name) => form.has(name) !== (gates[name] === true),
    );
    // The API keeps the gates that are not sent: what others have changed meanwhile stays.
    const changed = {
      ...(hasOtherHours && { quiet_hours: isEmpty ? null : { start: textOf('start'), end: textOf('end') } }),
      ...Object.fromEntries(caps.map((name) => [name, numberOf(name)])),
      ...Object.fromEntries(exits.map((name) => [name, form.has(name)])),
    };
    save.mutate(changed, { onSuccess: onClose });
  };
  return (
    <FormDialog title="Sending limits" action="Save" request={save} onSubmit={onSubmit} onClose={onClose}>
      <fieldset className="grid grid-cols-2 gap-3">
        <legend className="mb-1 font-medium">Quiet hours of the recipient</legend>
        <Field label="From">
          <input
            name="start"
            pattern={TIME}
            placeholder="21:00"
            defaultValue={gates.quiet_hours?.start}
            className={FIELD}
          />
        </Field>
        <Field label="Until">
          <input
            name="end"
            pattern={TIME}
            placeholder="08:00"
            defaultValue={gates.quiet_hours?.end}
            className={FIELD}
          />
        </Field>
      </fieldset>
      <Field label="Messages a contact gets in a day">
        <input
          name="daily_cap"
          type="number"
          min={1}
          max={MAX}
          defaultValue={gates.daily_cap ?? ''}
          className={FIELD}
        />
      </Field>
      <Field label="Sends per minute of the sender">
        <input
          name="sends_per_minute"
          type="number"
          min={1}
          max={MAX}
          defaultValue={gates.sends_per_minute ?? ''}
          className={FIELD}
        />
      </Field>
      <Check name="exit_on_reply" isOn={gates.exit_on_reply === true}>
        Whoever replies gets nothing more
      </Check>
      <Check name="exit_when_unmatched" isOn={gates.exit_when_unmatched === true}>
        Whoever no longer matches the filter gets nothing more
      </Check>
      <p className="text-xs text-quiet">
        Without quiet hours or a cap of its own, the sequence has those of the organization.
      </p>
    </FormDialog>
  );
};

const Check = ({ name, isOn, children }: { name: string; isOn: boolean; children: ReactNode }) => (
  <label className="flex items-center gap-2.5">
    <input type="checkbox" name={name} defaultChecked={isOn} className="size-4 shrink-0 accent-(--accent)" />
    {children}
  </label>
);
