import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SubmitEvent } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { Dialog } from '../../../ui/dialogs/dialog';
import { Button } from '../../../ui/parts';
import { CHANNELS } from '../words';

interface TestProps {
  sequence: Schemas['Sequence'];
  onClose: () => void;
}

const INPUT = 'h-9 w-full rounded-md border border-line bg-page px-3';

/** Sends the steps to one address at once. Nobody is enrolled by it. */
export const TestDialog = ({ sequence, onClose }: TestProps) => {
  const test = useMutation({
    mutationFn: (body: Schemas['TestSequence']) =>
      dataOf(api.POST('/sequences/{id}/test', { params: { path: { id: sequence.id } }, body })),
  });
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [to, contact_id] = ['to', 'contact_id'].map((name) => String(form.get(name)).trim());
    test.mutate({ to: to ?? '', ...(contact_id && { contact_id }) });
  };
  return (
    <Dialog title="Send a test" onClose={onClose}>
      <form onSubmit={onSubmit} className="space-y-4">
        <p className="text-quiet">
          Every step that can reach the address goes to it at once. Nobody is enrolled, and no gate applies.
        </p>
        <label className="block">
          <span className="mb-1 block font-medium">E-mail address or phone number</span>
          <input name="to" required maxLength={254} autoComplete="email" className={INPUT} />
        </label>
        <label className="block">
          <span className="mb-1 block font-medium">Id of the contact in the texts</span>
          <input name="contact_id" maxLength={36} className={INPUT} aria-describedby="test-contact" />
          <span id="test-contact" className="text-xs text-quiet">
            Without one, the texts show their fallbacks.
          </span>
        </label>
        {test.error !== null && (
          <p role="alert" className="rounded-md bg-bad p-3 text-bad-text">
            {test.error.message}
          </p>
        )}
        {test.data !== undefined && (
          <ul role="status" className="space-y-1 rounded-md bg-good p-3 text-good-text">
            {test.data.data.map(({ id, index, channel, status }) => (
              <li key={id}>
                Step {index + 1}: {CHANNELS[channel as keyof typeof CHANNELS] ?? channel}, {status}.{' '}
                <Link to="/outbound/deliveries" search={{ open: id }} className="underline">
                  Delivery
                </Link>
              </li>
            ))}
          </ul>
        )}
        <Button type="submit" look="main" className="h-9 w-full justify-center" disabled={test.isPending}>
          Send
        </Button>
      </form>
    </Dialog>
  );
};
