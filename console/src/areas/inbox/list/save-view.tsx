import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, dataOf, type Schemas } from '../../../api/client';
import { teamsQuery, viewsQuery } from '../../../api/queries';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { FIELD } from '../../../ui/forms/fields';

const MAX_NAME = 100;

/** Returns what differs from a view: its filters are changed elsewhere. */
function changesOf(view: Schemas['InboxView'], { name, shared, team_id = null }: Schemas['CreateInboxView']) {
  const isSharedOtherwise = shared !== view.shared || team_id !== view.team_id;
  return { ...(name !== view.name && { name }), ...(isSharedOtherwise && { shared, team_id }) };
}

interface SaveProps {
  query: Schemas['InboxFilters'];
  /** The view that changes. Absent for a new one. */
  view?: Schemas['InboxView'];
  onClose: () => void;
}

/** Keeps filters under a name, for the member, a team or everybody. */
export const SaveView = ({ query, view, onClose }: SaveProps) => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const teams = useQuery(teamsQuery).data ?? [];
  const show = ({ id }: { id: string }) => {
    onClose();
    void navigate({ to: '/inbox', search: { view: id } });
  };
  const save = useMutation({
    mutationFn: (body: Schemas['CreateInboxView']) =>
      dataOf(
        view === undefined
          ? api.POST('/views', { body })
          : api.PATCH('/views/{id}', { params: { path: { id: view.id } }, body: changesOf(view, body) }),
      ),
    onSuccess: () => client.invalidateQueries(viewsQuery),
  });
  const onSubmit = (form: FormData) => {
    const who = String(form.get('who'));
    const shared = who === 'me' || who === 'org' ? who : 'team';
    const body: Schemas['CreateInboxView'] = {
      name: String(form.get('name')),
      query,
      shared,
      ...(shared === 'team' && { team_id: who }),
    };
    save.mutate(body, { onSuccess: show });
  };
  return (
    <FormDialog
      title={view === undefined ? 'Save as a view' : 'Change the view'}
      action="Save"
      request={save}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <label className="block">
        <span className="mb-1 block font-medium">Name</span>
        <input name="name" required maxLength={MAX_NAME} defaultValue={view?.name} className={FIELD} />
      </label>
      <label className="block">
        <span className="mb-1 block font-medium">Who sees it</span>
        <select
          key={teams.length} // a team can be chosen once it is known
          name="who"
          defaultValue={view?.team_id ?? view?.shared}
          className={FIELD}
        >
          <option value="me">You alone</option>
          <option value="org">Everybody</option>
          {teams.map(({ id, name }) => (
            <option key={id} value={id}>
              Team {name}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  );
};
