import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, dataOf, type Schemas } from '../../../api/client';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { FIELD, Field } from '../../../ui/forms/fields';
import { CHANNELS } from '../words';

interface TestProps {
  sequence: Schemas['Sequence'];
  onClose: () => void;
}

/** Sends the steps to one address at once. Nobody is enrolled by it. */
export const TestDialog = ({ sequence, onClose }: TestProps) => {
  const test = useMutation({
    mutationFn: (body: Schemas['TestSequence']) =>
      dataOf(api.POST('/sequences/{id}/test', { params: { path: { id: sequence.id } }, body })),
  });
  const onSubmit = (form: FormData) => {
    const [to, contact_id] = ['to', 'contact_id'].map((name) => String(form.get(name)).trim());
    test.mutate({ to: to ?? '', ...(contact_id && { contact_id }) });
  };
  return (
    <FormDialog title="Send a test" action="Send" request={test} onSubmit={onSubmit} onClose={onClose}>
      <p className="text-quiet">
        Every step that can reach the address goes to it at once. Nobody is enrolled, and no sending limit applies.
      </p>
      <Field label="E-mail address or phone number">
        <input name="to" required maxLength={254} autoComplete="email" className={FIELD} />
      </Field>
      <div>
        <Field label="Id of the contact in the texts">
          <input name="contact_id" maxLength={36} className={FIELD} aria-describedby="test-contact" />
        </Field>
        <p id="test-contact" className="mt-1 text-xs text-quiet">
          Without one, the texts show their fallbacks.
        </p>
      </div>
      <div role="status">
        {test.data !== undefined && (
          <ul className="space-y-1 rounded-md bg-good p-3 text-good-text">
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
      </div>
    </FormDialog>
  );
};
