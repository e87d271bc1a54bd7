import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { membersQuery, meQuery, teamsQuery } from '../../../api/queries';
import { officeHoursQuery } from '../../../api/settings';
import { ActingSelect } from '../../../ui/forms/acting-select';
import { Button, Chip, Empty } from '../../../ui/parts';
import { ListPage } from '../frame/list-page';
import { useChange } from '../frame/use-change';
import { TeamDialog } from './team-dialog';

type Team = Schemas['Team'];

const STRATEGIES: Record<Team['support_assignment_strategy'], string> = {
  'least-busy': 'to who has the fewest',
  'round-robin': 'in turn',
  unassigned: 'to nobody',
};

/** Groups of members that conversations are assigned to. */
export const Teams = () => {
  const mayWrite = useMay('teams:write');
  return (
    <ListPage
      title="Teams"
      query={useQuery(teamsQuery)}
      mayWrite={mayWrite}
      add="New team"
      empty={<Empty title="No team yet">A team gets conversations and assigns them.</Empty>}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      section={(team) => <TeamBody team={team} mayWrite={mayWrite} />}
      form={(existing, onClose) => <TeamDialog existing={existing} onClose={onClose} />}
      remove={{
        what: 'the team',
        says: 'Its conversations have no team then, and views shared with it go. Its members stay in the organization.',
        run: ({ id }) => dataOf(api.DELETE('/teams/{id}', { params: { path: { id } } })),
        stale: [teamsQuery.queryKey, meQuery.queryKey],
      }}
    />
  );
};

const TeamBody = ({ team, mayWrite }: { team: Team; mayWrite: boolean }) => {
  const members = useQuery(membersQuery).data ?? [];
  const hours = useQuery(officeHoursQuery).data?.find(({ id }) => id === team.support_office_hours_id);
  const others = members.filter(({ id }) => !team.members.some((member) => member.id === id));
  const stale = [teamsQuery.queryKey, meQuery.queryKey];
  const params = { path: { id: team.id } };
  const add = useChange((userId: number) => dataOf(api.POST('/teams/{id}/users', { params, body: { userId } })), {
    stale,
    isQuick: true,
  });
  const drop = useChange(
    (userId: number) =>
      dataOf(api.DELETE('/teams/{id}/users/{userId}', { params: { path: { ...params.path, userId: `${userId}` } } })),
    { stale, isQuick: true },
  );
  return (
    <div className="space-y-3 p-4">
      {team.description !== null && <p className="break-words">{team.description}</p>}
      <p className="text-quiet">
        {team.is_support_enabled
          ? `Conversations can be handed to it, and are assigned ${STRATEGIES[team.support_assignment_strategy]}`
          : 'No conversation is handed to it'}
        {hours !== undefined && `, within ${hours.name}`}.
      </p>
      <ul aria-label={`Members of ${team.name}`} className="flex flex-wrap gap-1.5">
        {team.members.map(({ id, name, available }) => (
          <li key={id} className="flex items-center gap-1 rounded-full border border-line py-0.5 pr-1 pl-2.5">
            {name}
            {!available && <Chip tone="warn">Gets none</Chip>}
            {mayWrite && (
              <Button
                look="quiet"
                className="h-6 px-1.5"
                aria-label={`Remove ${name} from ${team.name}`}
                onClick={() => drop.mutate(id)}
              >
                ×
              </Button>
            )}
          </li>
        ))}
        {team.members.length === 0 && <li className="text-quiet">Nobody belongs to it yet.</li>}
      </ul>
      {mayWrite && others.length > 0 && (
        <ActingSelect
          aria-label={`Add a member to ${team.name}`}
          value=""
          options={[
            ['', 'Add a member'],
            ...others.map(({ id, name, email }) => [`${id}`, `${name} (${email})`] as const),
          ]}
          onAct={(id) => add.mutate(Number(id))}
          className="h-8 max-w-full rounded-md border border-line bg-page px-1.5"
        />
      )}
    </div>
  );
};
