import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';
import { teamsQuery } from '../../../api/queries';
import { officeHoursQuery } from '../../../api/settings';
import { type Specs, valuesIn, type Written, writtenOf } from '../../../ui/forms/spec';
import { SpecDialog } from '../frame/spec-dialog';
import { useChange } from '../frame/use-change';

interface TeamDialogProps {
  existing: Schemas['Team'] | undefined;
  onClose: () => void;
}

/** A team without its members. */
export const TeamDialog = ({ existing, onClose }: TeamDialogProps) => {
  const hours = useQuery(officeHoursQuery).data ?? [];
  const specs: Specs = {
    name: { kind: 'text', label: 'Name', isRequired: true },
    support_assignment_strategy: {
      kind: 'choice',
      label: 'Assigns conversations',
      options: [
        ['least-busy', 'To who has the fewest'],
        ['round-robin', 'In turn'],
        ['unassigned', 'To nobody: members take them'],
      ],
    },
    support_office_hours_id: {
      kind: 'choice',
      label: 'Works within',
      options: [['', 'Always'], ...hours.map(({ id, name }) => [id, name] as const)],
    },
    is_support_enabled: { kind: 'check', label: 'Conversations can be handed to it' },
    description: { kind: 'long', label: 'What it is for', maxLength: 2_000, rows: 2 },
  };
  const save = useChange(
    async (written: Written) => {
      const bodyOf = (values: Written) => valuesIn(specs, values) as Schemas['SaveTeam'];
      if (existing === undefined) return dataOf(api.POST('/teams', { body: bodyOf(written) }));
      // It is stored as a whole: what others have saved meanwhile stays.
      const params = { path: { id: existing.id } };
      const now = await dataOf(api.GET('/teams/{id}', { params }));
      return dataOf(api.PUT('/teams/{id}', { params, body: bodyOf({ ...writtenOf(specs, now), ...written }) }));
    },
    { stale: [teamsQuery.queryKey], says: 'Saved' },
  );
  return (
    <SpecDialog
      title={existing?.name ?? 'New team'}
      action="Save"
      specs={specs}
      stored={existing ?? { is_support_enabled: true, support_assignment_strategy: 'least-busy' }}
      save={save}
      onSave={(values, changes) => save.mutate(existing === undefined ? values : changes, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
};
