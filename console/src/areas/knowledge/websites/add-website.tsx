import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { SubmitEvent } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { Dialog } from '../../../ui/dialogs/dialog';
import { FIELD, Field } from '../../../ui/fields';
import { FormEnd } from '../../../ui/form-end';

const linesOf = (value: FormDataEntryValue | null): string[] =>
  String(value ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Adds a website, whose first crawl begins at once. */
export const AddWebsite = ({ onClose }: { onClose: () => void }) => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const add = useMutation({
    mutationFn: (body: Schemas['CreateWebsiteDatasource']) => dataOf(api.POST('/crawl', { body })),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ['listWebsites'] });
      await navigate({ to: '/knowledge/websites/$websiteId', params: { websiteId: id } });
    },
  });
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [name, hours] = [String(form.get('name')).trim(), Number(form.get('hours'))];
    add.mutate({
      url: String(form.get('url')).trim(),
      ...(name !== '' && { display_name: name }),
      include_paths: linesOf(form.get('include')),
      exclude_paths: linesOf(form.get('exclude')),
      crawl_interval_hours: hours === 0 ? null : hours,
      auto_start_crawl: true,
    });
  };
  return (
    <Dialog title="Add a website" className="w-[30rem]" onClose={onClose}>
      <form onSubmit={onSubmit} className="space-y-4">
        <Field label="Address. With a path, only pages below it are read.">
          <input
            name="url"
            type="url"
            required
            maxLength={2_000}
            placeholder="https://docs.example.com"
            className={FIELD}
          />
        </Field>
        <Field label="Name, if it shall have another than its address">
          <input name="name" maxLength={255} className={FIELD} />
        </Field>
        <Field label="Only these paths, one a line: /guides or /*/faq">
          <textarea name="include" rows={2} className={`${FIELD} h-auto py-1.5`} />
        </Field>
        <Field label="Without these paths, one a line">
          <textarea name="exclude" rows={2} className={`${FIELD} h-auto py-1.5`} />
        </Field>
        <Field label="Crawled again">
          <select name="hours" defaultValue="24" className={FIELD}>
            <option value="0">Only by hand</option>
            <option value="6">Every 6 hours</option>
            <option value="24">Every day</option>
            <option value="168">Every week</option>
          </select>
        </Field>
        <FormEnd request={add}>Add and crawl</FormEnd>
      </form>
    </Dialog>
  );
};
