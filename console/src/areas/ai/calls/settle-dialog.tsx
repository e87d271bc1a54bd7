import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';
import { say } from '../../../app/undo';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { FIELD, Field } from '../../../ui/forms/fields';
import { JsonView } from '../../../ui/json/json-view';

/** Settles a call of unknown outcome by hand. It calls nothing. */
export const SettleDialog = ({ call, onClose }: { call: Schemas['AutopilotCall']; onClose: () => void }) => {
  const client = useQueryClient();
  const settle = useMutation({
    mutationFn: (body: Schemas['SettleCall']) =>
      dataOf(api.POST('/autopilot/calls/{id}/settle', { params: { path: { id: call.id } }, body })),
    onSuccess: () => {
      say('Settled');
      void client.invalidateQueries({ queryKey: ['listAutopilotCalls'] });
    },
  });
  const onSubmit = (form: FormData) => {
    const outcome = form.get('outcome') === 'done' ? 'done' : 'not_done';
    settle.mutate({ outcome, note: String(form.get('note')).trim() }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title={`Settle “${call.name}”`}
      className="w-[30rem]"
      action="Settle"
      request={settle}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <p className="text-quiet">
        Its server did not say whether it was done. Look there, and say what you found. Nothing is called by it.
      </p>
      <Field label="What you found">
        <select name="outcome" className={FIELD}>
          <option value="done">It was done</option>
          <option value="not_done">It was not done</option>
        </select>
      </Field>
      <Field label="How you know">
        <input name="note" required maxLength={500} className={FIELD} />
      </Field>
      <JsonView title="Arguments" value={call.arguments} />
    </FormDialog>
  );
};
