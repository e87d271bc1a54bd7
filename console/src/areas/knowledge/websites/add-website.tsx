import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, dataOf, type Schemas } from '../../../api/client';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { FIELD, Field } from '../../../ui/forms/fields';
import { linesOf } from '../../../ui/forms/spec';

/** Adds a website, whose first crawl begins at once. */
export const AddWebsite = ({ onClose }: { onClose: () => void }) => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const show = ({ id: websiteId }: { id: string }) =>
    void navigate({ to: '/knowledge/websites/$websiteId', params: { websiteId } });
  const add = useMutation({
    mutationFn: (body: Schemas['CreateWebsiteDatasource']) => dataOf(api.POST('/crawl', { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['listWebsites'] }),
  });
  const onSubmit = (form: FormData) => {
    const [name, hours] = [String(form.get('name')).trim(), Number(form.get('hours'))];
    const body = {
      url: String(form.get('url')).trim(),
      ...(name !== '' && { display_name: name }),
      include_paths: linesOf(String(form.get('include'))),
      exclude_paths: linesOf(String(form.get('exclude'))),
      crawl_interval_hours: hours === 0 ? null : hours,
      auto_start_crawl: true,
    };
    add.mutate(body, { onSuccess: show });
  };
  return (
    <FormDialog
      title="Add a website"
      className="w-[30rem]"
      action="Add and crawl"
      request={add}
      onSubmit={onSubmit}
      onClose={onClose}
    >
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
    </FormDialog>
  );
};
