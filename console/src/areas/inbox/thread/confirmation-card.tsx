import type { Schemas } from '../../../api/client';
import { Button } from '../../../ui/parts';
import { shownDuration } from '../../../ui/times/time';
import type { Actions } from '../actions';

interface ConfirmationProps {
  confirmation: Schemas['AutopilotConfirmation'];
  actions: Actions;
  canDecide: boolean;
}

/** A call of the AI with its fields, which somebody allows or refuses. */
export const ConfirmationCard = ({ confirmation, actions, canDecide }: ConfirmationProps) => {
  const { id, name, fields, expires_at } = confirmation;
  return (
    <section aria-label={`Confirm: ${name}`} className="my-2 rounded-lg border border-note-line bg-surface p-3">
      <p className="font-medium">
        Confirm: {name}
        {expires_at !== null && (
          <span className="ml-2 text-xs font-normal text-quiet">
            {shownDuration(Date.parse(expires_at) - Date.now())} left
          </span>
        )}
      </p>
      <dl className="my-2 grid grid-cols-[auto_1fr] gap-x-4">
        {fields.map((field) => (
          <div key={field.name} className="contents">
            <dt className="text-quiet">{field.name}</dt>
            <dd className="break-words">{field.value}</dd>
          </div>
        ))}
      </dl>
      {canDecide && (
        <div className="flex gap-2">
          <Button look="main" onClick={() => actions.decide(id, 'confirm')}>
            Confirm
          </Button>
          <Button onClick={() => actions.decide(id, 'reject')}>Reject</Button>
        </div>
      )}
    </section>
  );
};
