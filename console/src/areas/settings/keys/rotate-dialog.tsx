import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { keysQuery } from '../../../api/settings';
import { CopyButton } from '../../../ui/copy-button';
import { Dialog } from '../../../ui/dialogs/dialog';
import { FormEnd } from '../../../ui/forms/form-end';
import { Button } from '../../../ui/parts';
import { useChange } from '../frame/use-change';

/** Makes a key with the same rights, and revokes the old one once programs have the new one. */
export const RotateDialog = ({ apiKey, onClose }: { apiKey: Schemas['ApiKey']; onClose: () => void }) => {
  const { id, name, scopes } = apiKey;
  const [made, setMade] = useState<string>();
  const stale = [keysQuery.queryKey];
  const create = useChange(
    () =>
      dataOf(
        api.POST('/org/api-keys', {
          body: { name, ...(scopes !== null && { scopes: scopes as Schemas['KeyScope'][] }) },
        }),
      ),
    { stale },
  );
  const revoke = useChange(() => dataOf(api.DELETE('/org/api-keys/{id}', { params: { path: { id } } })), {
    stale,
    says: 'The old key is revoked',
  });
  return (
    <Dialog title={`Rotate “${name}”`} onClose={onClose} className="w-[32rem]">
      {made === undefined ? (
        <form
          className="space-y-4"
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate(undefined, { onSuccess: ({ api_key }) => setMade(api_key) });
          }}
        >
          <p className="text-quiet">
            You get a second key with the same name and rights. The old one works until you revoke it.
          </p>
          <FormEnd request={create}>Create the second key</FormEnd>
        </form>
      ) : (
        <form
          className="space-y-4"
          onSubmit={(event) => {
            event.preventDefault();
            revoke.mutate(undefined, { onSuccess: onClose });
          }}
        >
          <p>Copy the new key now. It is not shown again.</p>
          <p className="flex items-start gap-2">
            <code data-secret="" className="min-w-0 flex-1 rounded bg-sunken px-2 py-1.5 font-mono text-xs break-all">
              {made}
            </code>
            <CopyButton text={made} what="the key" />
          </p>
          <p className="text-quiet">Give it to your programs, then revoke the old key, here or later in the list.</p>
          <FormEnd request={revoke}>Revoke the old key now</FormEnd>
          <Button className="w-full justify-center" onClick={onClose}>
            Keep both for now
          </Button>
        </form>
      )}
    </Dialog>
  );
};
