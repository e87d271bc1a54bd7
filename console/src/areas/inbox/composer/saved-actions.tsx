import { X } from 'lucide-react';
import type { Schemas } from '../../../api/client';
import type { Actions } from '../actions';

type SavedActions = Schemas['SavedReplyActions'];

const MINUTE_MS = 60_000;
const STATUSES = {
  open: 'open it again',
  closed_resolved: 'close as resolved',
  closed_unresolved: 'close as unresolved',
};

/** Does to a conversation what a saved reply is saved with. */
export function applySaved(saved: SavedActions, actions: Actions, members: { id: number; name: string }[]): void {
  const { assignee } = saved;
  for (const tag of saved.tags ?? []) actions.addTag(tag);
  if (assignee === 'me') actions.takeOver();
  else if (assignee !== undefined) actions.assign(members.find(({ id }) => id === assignee) ?? null);
  if (saved.snooze !== undefined)
    actions.snooze(
      saved.snooze === 'until_reply' ? null : new Date(Date.now() + saved.snooze.minutes * MINUTE_MS).toISOString(),
    );
  if (saved.status !== undefined) actions.setStatus(saved.status);
}

const sentencesOf = ({ tags = [], status, assignee, snooze }: SavedActions): string[] => [
  ...tags.map((tag) => `tag “${tag}”`),
  ...(assignee === undefined ? [] : [assignee === 'me' ? 'assign to me' : 'assign']),
  ...(snooze === undefined ? [] : ['snooze']),
  ...(status === undefined ? [] : [STATUSES[status]]),
];

/** What is done on sending, as the saved reply has it. The member can leave it out. */
export const SavedActionsNote = ({ saved, onRemove }: { saved: SavedActions; onRemove: () => void }) => (
  <p className="mt-2 flex items-center gap-1 text-xs text-quiet">
    On sending: {sentencesOf(saved).join(', ')}
    <button
      type="button"
      aria-label="Only send"
      className="grid size-6 place-items-center rounded hover:bg-hover"
      onClick={onRemove}
    >
      <X size={12} />
    </button>
  </p>
);
