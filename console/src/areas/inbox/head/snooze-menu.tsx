import { Menu } from '../../../ui/menu';
import { Button } from '../../../ui/parts';
import type { Actions } from '../actions';
import { asFieldValue, snoozeTimes } from './snooze-times';

interface SnoozeProps {
  isSnoozed: boolean;
  actions: Actions;
  close: () => void;
}

/** Usual times to put a conversation aside, and any other one. A message of the customer ends each of them. */
export const SnoozeMenu = ({ isSnoozed, actions, close }: SnoozeProps) => (
  <>
    <Menu
      label="Snooze"
      close={close}
      items={[
        ...(isSnoozed ? [{ label: 'End the snooze', onSelect: actions.endSnooze }] : []),
        { label: 'Until a reply', onSelect: () => actions.snooze(null) },
        ...snoozeTimes(new Date()).map(({ label, hint, at }) => ({
          label,
          hint,
          onSelect: () => actions.snooze(at.toISOString()),
        })),
      ]}
    />
    <form
      className="mt-1 flex items-end gap-1.5 border-t border-line p-2"
      onSubmit={(event) => {
        event.preventDefault();
        const until = new Date(String(new FormData(event.currentTarget).get('until')));
        if (Number.isNaN(until.getTime())) return;
        close();
        actions.snooze(until.toISOString());
      }}
    >
      <label className="min-w-0 flex-1 text-xs text-quiet">
        Until
        <input
          type="datetime-local"
          name="until"
          required
          min={asFieldValue(new Date())}
          className="mt-0.5 h-8 w-full rounded-md border border-line bg-page px-1.5 text-sm text-text"
        />
      </label>
      <Button type="submit">Set</Button>
    </form>
  </>
);
