import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { tagsQuery, teamsQuery } from '../../../api/queries';
import { slaQuery } from '../../../api/settings';
import { CHANNEL_CHOICES } from '../../../ui/channels';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { useChange } from '../frame/use-change';

type Assignment = Schemas['SlaAssignmentFields'];
type Channel = NonNullable<NonNullable<Assignment['channels']>[number]>;

/** The conversations covered by a policy: those that meet each of the conditions. */
export const CoverageDialog = ({ policy, onClose }: { policy: Schemas['SlaPolicy']; onClose: () => void }) => {
  const teams = useQuery(teamsQuery).data ?? [];
  const tags = useQuery(tagsQuery).data ?? [];
  const stored = {
    teams: policy.assignment?.teams ?? [],
    channels: policy.assignment?.channels ?? [],
    tags: policy.assignment?.tags ?? [],
  };
  const [changes, setChanges] = useState<Partial<typeof stored>>({});
  const chosen = { ...stored, ...changes };
  const save = useChange(
    async (changed: Partial<typeof chosen>) => {
      // It is stored as a whole: what others have saved meanwhile stays.
      const params = { path: { id: policy.id } };
      const { assignment } = await dataOf(api.GET('/sla/policies/{id}', { params }));
      const { teams: ofTeams, channels, tags: ofTags, filter } = assignment ?? {};
      const body: Assignment = { teams: ofTeams, channels, tags: ofTags, filter: filter ?? null, ...changed };
      return dataOf(api.PUT('/sla/policies/{id}/assignment', { params, body }));
    },
    { stale: [slaQuery.queryKey], says: 'Saved' },
  );
  return (
    <FormDialog
      title={`What ${policy.name} covers`}
      action="Save"
      request={save}
      onSubmit={() => save.mutate(changes, { onSuccess: onClose })}
      onClose={onClose}
      className="w-[32rem]"
    >
      <p className="text-quiet">Nothing chosen in a group means all of it.</p>
      <Boxes
        name="Teams"
        options={teams.map(({ id, name }) => [id, name])}
        chosen={chosen.teams}
        onChange={(of) => setChanges({ ...changes, teams: of })}
      />
      <Boxes
        name="Channels"
        options={CHANNEL_CHOICES}
        chosen={chosen.channels}
        onChange={(of) => setChanges({ ...changes, channels: of as Channel[] })}
      />
      <Boxes
        name="Tags"
        options={tags.map(({ tag_name }) => [tag_name, tag_name])}
        chosen={chosen.tags}
        onChange={(of) => setChanges({ ...changes, tags: of })}
      />
      {policy.assignment?.filter != null && (
        <p className="text-xs text-quiet">The filter of its contacts stays as the API has it.</p>
      )}
    </FormDialog>
  );
};

interface BoxesProps {
  name: string;
  options: [value: string, name: string][];
  chosen: string[];
  onChange: (chosen: string[]) => void;
}

const Boxes = ({ name, options, chosen, onChange }: BoxesProps) =>
  options.length === 0 ? null : (
    <fieldset className="max-h-48 overflow-y-auto rounded-md border border-line p-3">
      <legend className="px-1 text-xs text-quiet">{name}</legend>
      <div className="grid gap-x-3 min-[480px]:grid-cols-2">
        {options.map(([value, shown]) => (
          <label key={value} className="flex min-h-7 items-center gap-2">
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, value] : chosen.filter((other) => other !== value))
              }
              className="size-4 shrink-0 accent-(--accent)"
            />
            <span className="min-w-0 break-words">{shown}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
