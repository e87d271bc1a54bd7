import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SubmitEvent } from 'react';
import { api, dataOf } from '../../../api/client';
import { domainsQuery } from '../../../api/outbound';
import { Dialog } from '../../../ui/dialogs/dialog';
import { FormEnd } from '../../../ui/form-end';

/** Adds a domain to send from. Its records are shown afterwards. */
export const AddDomain = ({ onClose }: { onClose: () => void }) => {
  const client = useQueryClient();
  const add = useMutation({
    mutationFn: (domainName: string) => dataOf(api.PUT('/email/domains', { body: { domainName } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: domainsQuery.queryKey });
      onClose();
    },
  });
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    add.mutate(String(new FormData(event.currentTarget).get('domain')).trim());
  };
  return (
    <Dialog title="Add a domain" onClose={onClose}>
      <form onSubmit={onSubmit} className="space-y-4">
        <label className="block">
          <span className="mb-1 block font-medium">Domain</span>
          <input
            name="domain"
            required
            maxLength={229}
            placeholder="mail.example.com"
            className="h-9 w-full rounded-md border border-line bg-page px-3 placeholder:text-quiet"
          />
        </label>
        <FormEnd request={add}>Add</FormEnd>
      </form>
    </Dialog>
  );
};
