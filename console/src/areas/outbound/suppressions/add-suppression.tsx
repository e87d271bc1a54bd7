import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';
import { say } from '../../../app/undo';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { FIELD } from '../../../ui/forms/fields';
import { SUPPRESSED_CHANNELS } from './channels';

/** Stops messages to an address. Transactional e-mail still goes to it. */
export const AddSuppression = ({ onClose }: { onClose: () => void }) => {
  const client = useQueryClient();
  const add = useMutation({
    mutationFn: (body: Schemas['AddSuppression']) => dataOf(api.POST('/suppressions', { body })),
    onSuccess: ({ address }) => {
      say(`${address} is suppressed`);
      void client.invalidateQueries({ queryKey: ['listSuppressions'] });
    },
  });
  const onSubmit = (form: FormData) => {
    const channel = SUPPRESSED_CHANNELS.find(([name]) => name === form.get('channel'))?.[0] ?? 'email';
    add.mutate({ channel, address: String(form.get('address')).trim() }, { onSuccess: onClose });
  };
  return (
    <FormDialog title="Suppress an address" action="Suppress" request={add} onSubmit={onSubmit} onClose={onClose}>
      <p className="text-quiet">It gets nothing more on this channel but transactional messages.</p>
      <label className="block">
        <span className="mb-1 block font-medium">Channel</span>
        <select name="channel" className={FIELD}>
          {SUPPRESSED_CHANNELS.map(([channel, name]) => (
            <option key={channel} value={channel}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className="block">
        <span className="mb-1 block font-medium">Address or phone number</span>
        <input name="address" required maxLength={254} autoComplete="off" className={FIELD} />
      </label>
    </FormDialog>
  );
};
