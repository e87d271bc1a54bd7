import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { meQuery } from '../../../api/queries';
import { keysQuery } from '../../../api/settings';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { FIELD, Field } from '../../../ui/forms/fields';
import { useChange } from '../frame/use-change';
import { ScopeFields } from './scope-fields';
import type { Scope } from './scopes';

interface KeyDialogProps {
  onCreated: (key: string) => void;
  onClose: () => void;
}

/** Makes a key. It gets no rights that were not chosen. */
export const KeyDialog = ({ onCreated, onClose }: KeyDialogProps) => {
  const own = useQuery(meQuery).data?.scopes ?? [];
  const [isFull, setFull] = useState(false);
  const [scopes, setScopes] = useState<Scope[]>([]);
  const create = useChange((body: Schemas['CreateApiKey']) => dataOf(api.POST('/org/api-keys', { body })), {
    stale: [keysQuery.queryKey],
  });
  const isEmpty = !isFull && scopes.length === 0;
  const onSubmit = (values: FormData) => {
    const name = String(values.get('name')).trim();
    create.mutate({ name, ...(!isFull && { scopes }) }, { onSuccess: ({ api_key }) => onCreated(api_key) });
  };
  return (
    <FormDialog
      title="New API key"
      action="Create the key"
      request={{ ...create, isPending: create.isPending || isEmpty }}
      onSubmit={onSubmit}
      onClose={onClose}
      className="w-[34rem]"
    >
      <Field label="What it is for">
        <input name="name" required maxLength={255} placeholder="Shop import" className={FIELD} />
      </Field>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={isFull}
          onChange={({ target }) => setFull(target.checked)}
          className="size-4 accent-(--accent)"
        />
        Full access, also to what later versions add
      </label>
      {!isFull && <ScopeFields chosen={scopes} own={own} onChange={setScopes} />}
      {isEmpty && <p className="text-xs text-quiet">Choose at least one thing that it may do.</p>}
    </FormDialog>
  );
};
