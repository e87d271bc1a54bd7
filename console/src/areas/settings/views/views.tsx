import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, dataOf, type Schemas } from '../../../api/client';
import { teamsQuery, viewsQuery } from '../../../api/queries';
import type { Specs } from '../../../ui/forms/spec';
import { Chip } from '../../../ui/parts';
import { ListPage } from '../frame/list-page';
import { SpecDialog } from '../frame/spec-dialog';
import { useChange } from '../frame/use-change';

type View = Schemas['InboxView'];

const SHARED: Record<View['shared'], string> = { me: 'Only you', team: 'A team', org: 'Everybody' };

/** Who sees a view. */
function sharedWith({ shared, team_id }: View, teams: Schemas['Team'][] | undefined): string {
  const team = teams?.find(({ id }) => id === team_id);
  return team === undefined ? SHARED[shared] : `Team ${team.name}`;
}

/** The lists of the inbox: those that every organization has, and its own. */
export const Views = () => {
  const teams = useQuery(teamsQuery).data;
  return (
    <ListPage
      title="Views"
      query={useQuery({ ...viewsQuery, select: ({ items }) => items })}
      mayWrite={({ can_edit }) => can_edit}
      above={
        <p className="text-quiet">
          Make a view in the inbox: set its filters there, then save them under a name. The list here is in the order of
          the inbox.
        </p>
      }
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      row={(view) => (
        <p className="flex flex-wrap items-center gap-2">
          <Link to="/inbox" search={{ view: view.id }} className="font-medium hover:underline">
            {view.name}
          </Link>
          <Chip>{view.is_built_in ? 'Always there' : sharedWith(view, teams)}</Chip>
          <span className="min-w-0 text-xs break-words text-quiet">
            {Object.entries(view.query)
              .map(([name, value]) => `${name}: ${value}`)
              .join(', ')}
          </span>
        </p>
      )}
      form={(existing, onClose) => existing && <ViewDialog view={existing} onClose={onClose} />}
      remove={{
        what: 'the view',
        says: ({ shared }) => `Its conversations stay.${shared === 'me' ? '' : ' It goes for all who share it.'}`,
        run: ({ id }) => dataOf(api.DELETE('/views/{id}', { params: { path: { id } } })),
        stale: [viewsQuery.queryKey],
      }}
    />
  );
};

const ViewDialog = ({ view, onClose }: { view: View; onClose: () => void }) => {
  const teams = useQuery(teamsQuery).data ?? [];
  const specs: Specs = {
    name: { kind: 'text', label: 'Name', isRequired: true, maxLength: 100 },
    position: { kind: 'number', label: 'Position', min: 0, max: 1_000_000, isRequired: true },
    shared: { kind: 'choice', label: 'Who sees it', options: Object.entries(SHARED) },
    team_id: {
      kind: 'choice',
      label: 'Which team, if it is for one',
      options: [['', 'None'], ...teams.map(({ id, name }) => [id, name] as const)],
    },
  };
  const save = useChange(
    (body: Schemas['UpdateInboxView']) => dataOf(api.PATCH('/views/{id}', { params: { path: { id: view.id } }, body })),
    { stale: [viewsQuery.queryKey], says: 'Saved' },
  );
  return (
    <SpecDialog
      title={view.name}
      action="Save"
      specs={specs}
      stored={view}
      save={save}
      onSave={(values, changes) => {
        const shared = values.shared as View['shared'];
        const isSharedOtherwise = 'shared' in changes || 'team_id' in changes;
        save.mutate(
          {
            ...('name' in changes && { name: String(values.name).trim() }),
            ...('position' in changes && { position: Number(values.position) }),
            ...(isSharedOtherwise && {
              shared,
              team_id: shared === 'team' ? String(values.team_id) || null : null,
            }),
          },
          { onSuccess: onClose },
        );
      }}
      onClose={onClose}
    />
  );
};
