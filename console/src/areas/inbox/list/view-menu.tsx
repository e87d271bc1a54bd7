import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { FIRST_VIEW } from '../../../api/inbox-filters';
import { viewsQuery } from '../../../api/queries';
import { say } from '../../../app/undo';
import { Dialog } from '../../../ui/dialogs/dialog';
import { Menu } from '../../../ui/menu';
import { Button } from '../../../ui/parts';
import { Popover } from '../../../ui/popover';
import { SaveView } from './save-view';

/** The member's actions on a view: change its name and its audience, and delete it. */
export const ViewMenu = ({ view }: { view: Schemas['InboxView'] }) => {
  const [asked, ask] = useState<'change' | 'delete'>();
  const close = () => ask(undefined);
  return (
    <>
      <Popover name="Change the view" label={<Ellipsis size={16} />} look="quiet" className="px-1.5">
        {(done) => (
          <Menu
            label="Change the view"
            close={done}
            items={[
              { label: 'Rename or share…', onSelect: () => ask('change') },
              { label: 'Delete…', onSelect: () => ask('delete') },
            ]}
          />
        )}
      </Popover>
      {asked === 'change' && <SaveView view={view} query={view.query} onClose={close} />}
      {asked === 'delete' && <Deletion view={view} onClose={close} />}
    </>
  );
};

const Deletion = ({ view, onClose }: { view: Schemas['InboxView']; onClose: () => void }) => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/views/{id}', { params: { path: { id: view.id } } })),
    onSuccess: async () => {
      await navigate({ to: '/inbox', search: { view: FIRST_VIEW } });
      await client.invalidateQueries(viewsQuery);
      say(`The view “${view.name}” is deleted`);
    },
    onError: (error) => say(error.message, { isError: true }),
  });
  return (
    <Dialog title="Delete the view" onClose={onClose}>
      <p>“{view.name}” is gone for everybody who sees it. Its conversations stay.</p>
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="main" disabled={remove.isPending} onClick={() => remove.mutate()}>
          Delete
        </Button>
      </div>
    </Dialog>
  );
};
