import { useMutation, useQueryClient } from '@tanstack/react-query';
import { BLOCKS } from '../../../api/blocklist';
import { api, dataOf } from '../../../api/client';
import { say } from '../../../app/undo';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { FIELD, Field } from '../../../ui/forms/fields';

interface BlockDialogProps {
  /** Who is blocked, where that is known already. */
  email?: string;
  onClose: () => void;
}

/** Blocks an address, or a domain where there is no @. */
export const BlockDialog = ({ email, onClose }: BlockDialogProps) => {
  const client = useQueryClient();
  const block = useMutation({
    mutationFn: async ({ who, reason }: { who: string; reason: string }) => {
      if (who.includes('@')) await dataOf(api.POST('/blocklist/contacts', { body: { email: who, reason } }));
      else await dataOf(api.POST('/blocklist/domains', { body: { domains: who, reason } }));
    },
    onSuccess: (_, { who }) => {
      say(`${who} is blocked`);
      void client.invalidateQueries({ queryKey: BLOCKS });
    },
  });
  const onSubmit = (form: FormData) => {
    const textOf = (name: string) => String(form.get(name)).trim();
    block.mutate({ who: email ?? textOf('who'), reason: textOf('reason') }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title={`Block ${email ?? 'a sender'}`}
      action="Block"
      look="bad"
      request={block}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <p className="text-quiet">
        Nothing more is sent to them. What they write is stored, but starts no answer and opens nothing again.
      </p>
      {email === undefined && (
        <Field label="E-mail, or a domain such as spam.example">
          <input name="who" required maxLength={254} autoComplete="off" className={FIELD} />
        </Field>
      )}
      <Field label="Why, for the team">
        <input name="reason" maxLength={1_000} autoComplete="off" className={FIELD} />
      </Field>
    </FormDialog>
  );
};
