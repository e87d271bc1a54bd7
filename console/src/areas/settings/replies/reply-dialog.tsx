import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';
import { teamsQuery } from '../../../api/queries';
import { linesOf, type Specs, type Written } from '../../../ui/forms/spec';
import { LANGUAGES } from '../frame/languages';
import { SpecDialog } from '../frame/spec-dialog';
import { useChange } from '../frame/use-change';

type Reply = Schemas['SavedReply'];

interface ReplyDialogProps {
  existing: Reply | undefined;
  onClose: () => void;
}

/** The text of a reply, and what it does to the conversation. */
export const ReplyDialog = ({ existing, onClose }: ReplyDialogProps) => {
  const teams = useQuery(teamsQuery).data ?? [];
  const specs: Specs = {
    title: { kind: 'text', label: 'Title', isRequired: true },
    shortcut: { kind: 'text', label: 'Shortcut', isRequired: true, hint: 'What is typed after a slash.' },
    text: {
      kind: 'long',
      label: 'Text',
      isRequired: true,
      rows: 6,
      maxLength: 50_000,
      hint: 'Takes placeholders: {{contact.name|there}}',
    },
    language: { kind: 'choice', label: 'Language', options: [['', 'Any'], ...LANGUAGES] },
    team_id: {
      kind: 'choice',
      label: 'For',
      options: [['', 'All'], ...teams.map(({ id, name }) => [id, name] as const)],
    },
    status: {
      kind: 'choice',
      label: 'Then the conversation is',
      options: [
        ['', 'As it was'],
        ['open', 'Open'],
        ['closed_resolved', 'Closed, resolved'],
        ['closed_unresolved', 'Closed, not resolved'],
      ],
    },
    tags: { kind: 'lines', rows: 2, label: 'Tags to add, one a line' },
  };
  const save = useChange(
    async (changes: Written) => {
      if (existing === undefined)
        return dataOf(api.POST('/saved-replies', { body: replyIn(changes, {}) as Schemas['CreateSavedReply'] }));
      const params = { path: { id: existing.id } };
      // What it does is stored as a whole: what others have saved meanwhile stays.
      const now = await dataOf(api.GET('/saved-replies/{id}', { params }));
      return dataOf(api.PATCH('/saved-replies/{id}', { params, body: replyIn(changes, now) }));
    },
    { stale: [['listSavedReplies']], says: 'Saved' },
  );
  return (
    <SpecDialog
      title={existing?.title ?? 'New reply'}
      action="Save"
      specs={specs}
      stored={{ ...existing, status: existing?.actions?.status, tags: existing?.actions?.tags }}
      save={save}
      onSave={(_, changes) => save.mutate(changes, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
};

/** Returns the changes of a reply. Its files, and actions without a field, stay. */
function replyIn(changes: Written, { actions }: Partial<Pick<Reply, 'actions'>>): Schemas['UpdateSavedReply'] {
  const text = (name: string) => String(changes[name] ?? '').trim();
  return {
    ...('title' in changes && { title: text('title') }),
    ...('shortcut' in changes && { shortcut: text('shortcut').replace(/^\//, '') }),
    ...('text' in changes && { text: String(changes.text) }),
    ...('language' in changes && { language: (text('language') || null) as Schemas['Language'] | null }),
    ...('team_id' in changes && { team_id: text('team_id') || null }),
    ...(('tags' in changes || 'status' in changes) && { actions: actionsIn(changes, actions ?? {}) }),
  };
}

/** Returns what a reply does, with the changes of it. null: nothing. */
function actionsIn(changes: Written, now: NonNullable<Reply['actions']>): Reply['actions'] {
  const { tags, status, ...others } = now;
  const chosen = 'tags' in changes ? linesOf(String(changes.tags)) : (tags ?? []);
  const then = 'status' in changes ? (changes.status as typeof status | '') || undefined : status;
  const actions = {
    ...others,
    ...(chosen.length > 0 && { tags: chosen }),
    ...(then !== undefined && { status: then }),
  };
  return Object.keys(actions).length === 0 ? null : actions;
}
