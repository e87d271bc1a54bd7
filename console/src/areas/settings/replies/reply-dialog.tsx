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
    (body: Schemas['CreateSavedReply']) =>
      existing === undefined
        ? dataOf(api.POST('/saved-replies', { body }))
        : dataOf(api.PATCH('/saved-replies/{id}', { params: { path: { id: existing.id } }, body })),
    { stale: [['listSavedReplies']], says: 'Saved' },
  );
  return (
    <SpecDialog
      title={existing?.title ?? 'New reply'}
      action="Save"
      specs={specs}
      stored={{ ...existing, status: existing?.actions?.status, tags: existing?.actions?.tags }}
      save={save}
      onSave={(values) => save.mutate(replyIn(values, existing), { onSuccess: onClose })}
      onClose={onClose}
    />
  );
};

/** Returns a reply as written. Its files, and actions that have no field, stay. */
function replyIn(values: Written, existing: Reply | undefined): Schemas['CreateSavedReply'] {
  const text = (name: string) => String(values[name] ?? '').trim();
  const { tags: _, status: __, ...others } = existing?.actions ?? {};
  const tags = linesOf(text('tags'));
  const actions = {
    ...others,
    ...(tags.length > 0 && { tags }),
    ...(text('status') !== '' && { status: text('status') as 'open' }),
  };
  return {
    title: text('title'),
    shortcut: text('shortcut').replace(/^\//, ''),
    text: String(values.text ?? ''),
    language: (text('language') || null) as Schemas['Language'] | null,
    team_id: text('team_id') || null,
    actions: Object.keys(actions).length === 0 ? null : actions,
  };
}
