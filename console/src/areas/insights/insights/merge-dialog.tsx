import { useState } from 'react';
import { api, dataOf } from '../../../api/client';
import type { Insight } from '../../../api/insights';
import { say } from '../../../app/undo';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { useChange } from '../use-change';
import { shownConversations } from '../words';

interface MergeProps {
  /** Two or more. */
  insights: Pick<Insight, 'id' | 'number' | 'content' | 'occurrence_count'>[];
  onMerged: (rootId: string) => void;
  onClose: () => void;
}

/** Asks which insight the others become part of. */
export const MergeDialog = ({ insights, onMerged, onClose }: MergeProps) => {
  const most = insights.toSorted((one, other) => other.occurrence_count - one.occurrence_count)[0];
  const [rootId, choose] = useState(most?.id);
  const undo = useChange({
    isQuick: true,
    run: (ids: string[]) =>
      Promise.all(
        ids.map((operationId) =>
          dataOf(api.POST('/insights/operations/{operationId}/undo', { params: { path: { operationId } } })),
        ),
      ),
    onDone: () => say('The merge is undone'),
  });
  const merge = useChange({
    run: (id: string) => {
      const insight_ids = insights.map((one) => one.id).filter((one) => one !== id);
      return dataOf(api.POST('/insights/{id}/merge', { params: { path: { id } }, body: { insight_ids } }));
    },
    onDone: ({ items }) => say('Merged', { undo: () => undo.mutate(items.map((operation) => operation.id)) }),
  });
  return (
    <FormDialog
      title="Merge insights"
      className="w-[32rem]"
      action="Merge"
      request={merge}
      onSubmit={() => {
        if (rootId !== undefined) merge.mutate(rootId, { onSuccess: () => onMerged(rootId) });
      }}
      onClose={onClose}
    >
      <fieldset className="space-y-1">
        <legend className="mb-2 text-quiet">
          The one that stays. The others become part of it, and their numbers lead to it. This can be undone.
        </legend>
        {insights.map(({ id, number, content, occurrence_count }) => (
          <label key={id} className="flex cursor-pointer gap-2 rounded-md p-2 hover:bg-hover">
            <input
              type="radio"
              name="root"
              className="mt-1 size-4 shrink-0 accent-(--accent)"
              checked={id === rootId}
              onChange={() => choose(id)}
            />
            <span className="min-w-0">
              <span className="block break-words">
                #{number} {content}
              </span>
              <span className="text-xs text-quiet">{shownConversations(occurrence_count)}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
};
