import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../../../api/client';
import { categoriesQuery, type Insight } from '../../../api/insights';
import { teamsQuery } from '../../../api/queries';
import { say } from '../../../app/undo';
import { ActingSelect } from '../../../ui/forms/acting-select';
import { FIELD, Field } from '../../../ui/forms/fields';
import { Button } from '../../../ui/parts';
import { useChange } from '../use-change';

/** Its name, category and team: to read, or to change. */
export const Keeping = ({ insight, mayWrite }: { insight: Insight; mayWrite: boolean }) => {
  const { id, content, category, team } = insight;
  const params = { path: { id } };
  /** Absent: the name as it is stored, also after somebody else has changed it. */
  const [typed, type] = useState<string>();
  const shown = typed ?? content;
  const categories = useQuery(categoriesQuery).data?.categories ?? [];
  const teams = useQuery(teamsQuery).data ?? [];
  const update = useChange({
    isQuick: true,
    run: (body: { content?: string; category?: string | null }) =>
      dataOf(api.PATCH('/insights/{id}', { params, body })),
    onDone: () => say('Saved'),
  });
  const assign = useChange({
    isQuick: true,
    run: (groupId: string | null) => dataOf(api.POST('/insights/{id}/assign', { params, body: { groupId } })),
    onDone: ({ team: assigned }) => say(assigned === null ? 'It has no team' : `Assigned to ${assigned.name}`),
  });
  if (!mayWrite)
    return (
      <p className="text-quiet">
        Category: {category ?? 'none'} · Team: {team?.name ?? 'none'}
      </p>
    );
  const known = category === null || categories.includes(category) ? categories : [category, ...categories];
  const knownTeams = team === null || teams.some((one) => one.id === team.id) ? teams : [team, ...teams];
  return (
    <div className="grid gap-3 min-[600px]:grid-cols-2">
      <form
        className="flex items-end gap-2 min-[600px]:col-span-2"
        onSubmit={(event) => {
          event.preventDefault();
          const name = shown.trim();
          const keep = (now: string | undefined) => (now === typed ? undefined : now); // what is typed meanwhile stays
          if (name !== '' && name !== content) update.mutate({ content: name }, { onSuccess: () => type(keep) });
        }}
      >
        <div className="min-w-0 flex-1">
          <Field label="Name. One that was written by hand stays.">
            <input
              name="content"
              value={shown}
              onChange={({ target }) => type(target.value)}
              required
              maxLength={500}
              className={FIELD}
            />
          </Field>
        </div>
        <Button type="submit" className="h-9" disabled={update.isPending}>
          Rename
        </Button>
      </form>
      <Field label="Category">
        <ActingSelect
          value={category ?? ''}
          options={[['', 'None'], ...known.map((name): [string, string] => [name, name])]}
          disabled={update.isPending}
          onAct={(value) => update.mutate({ category: value || null })}
          className={FIELD}
        />
      </Field>
      <Field label="Team">
        <ActingSelect
          value={team?.id ?? ''}
          options={[['', 'None'], ...knownTeams.map((one): [string, string] => [one.id, one.name])]}
          disabled={assign.isPending}
          onAct={(value) => assign.mutate(value || null)}
          className={FIELD}
        />
      </Field>
    </div>
  );
};
