import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../../../api/client';
import { categoriesQuery } from '../../../api/insights';
import { say } from '../../../app/undo';
import { Dialog } from '../../../ui/dialogs/dialog';
import { FormEnd } from '../../../ui/forms/form-end';
import { linesOf } from '../../../ui/forms/spec';
import { failureOf, Skeleton } from '../../../ui/parts';
import { useChange } from '../use-change';

/** The categories that insights can have, one a line. */
export const Categories = ({ mayWrite, onClose }: { mayWrite: boolean; onClose: () => void }) => {
  const list = useQuery(categoriesQuery);
  const names = list.data?.categories ?? [];
  return (
    <Dialog title="Categories" className="w-[28rem]" onClose={onClose}>
      {list.isPending && <Skeleton rows={3} />}
      {failureOf(list)}
      {list.data !== undefined && !mayWrite && (
        <ul className="list-disc pl-5">
          {names.length === 0 && <li className="list-none text-quiet">There are none.</li>}
          {names.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      )}
      {list.data !== undefined && mayWrite && <Form begun={names} onClose={onClose} />}
    </Dialog>
  );
};

const Form = ({ begun: first, onClose }: { begun: string[]; onClose: () => void }) => {
  const [begun] = useState(first);
  const client = useQueryClient();
  const replace = useChange({
    run: async (written: string[]) => {
      // They are stored as a whole: what others have added or taken away meanwhile stays so.
      const { categories: now } = await dataOf(api.GET('/insights/categories'));
      return dataOf(api.PUT('/insights/categories', { body: { categories: mergeOf({ written, begun, now }) } }));
    },
    onDone: (stored) => {
      client.setQueryData(categoriesQuery.queryKey, stored);
      say('The categories are saved');
    },
  });
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        const text = String(new FormData(event.currentTarget).get('categories'));
        replace.mutate([...new Set(linesOf(text))], { onSuccess: onClose });
      }}
    >
      <label className="block">
        <span className="mb-1 block text-xs text-quiet">
          One a line. Insights whose category is taken away have none.
        </span>
        <textarea
          name="categories"
          rows={8}
          defaultValue={begun.join('\n')}
          className="block w-full rounded-md border border-line bg-page p-2"
        />
      </label>
      <FormEnd request={replace}>Save</FormEnd>
    </form>
  );
};

/** Returns the names as they were written, with what has come and gone since the form was opened. */
const mergeOf = ({ written, begun, now }: Record<'written' | 'begun' | 'now', string[]>): string[] => [
  ...written.filter((name) => now.includes(name) || !begun.includes(name)),
  ...now.filter((name) => !begun.includes(name) && !written.includes(name)),
];
