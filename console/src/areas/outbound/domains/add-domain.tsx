import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client';
import { domainsQuery } from '../../../api/outbound';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { FIELD } from '../../../ui/forms/fields';

/** Adds a domain to send from. Its records are shown afterwards. */
export const AddDomain = ({ onClose }: { onClose: () => void }) => {
  const client = useQueryClient();
  const add = useMutation({
    mutationFn: (domainName: string) => dataOf(api.PUT('/email/domains', { body: { domainName } })),
    onSuccess: () => client.invalidateQueries({ queryKey: domainsQuery.queryKey }),
  });
  const onSubmit = (form: FormData) => {
    add.mutate(String(form.get('domain')).trim(), { onSuccess: onClose });
  };
  return (
    <FormDialog title="Add a domain" action="Add" request={add} onSubmit={onSubmit} onClose={onClose}>
      <label className="block">
        <span className="mb-1 block font-medium">Domain</span>
        <input
          name="domain"
          required
          maxLength={229}
          placeholder="mail.example.com"
          className={`${FIELD} placeholder:text-quiet`}
        />
      </label>
    </FormDialog>
  );
};
