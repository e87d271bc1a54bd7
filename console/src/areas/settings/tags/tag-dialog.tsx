import { api, dataOf, type Schemas } from '../../../api/client';
import { tagsQuery } from '../../../api/queries';
import { type Specs, valuesIn, type Written } from '../../../ui/forms/spec';
import { SpecDialog } from '../frame/spec-dialog';
import { useChange } from '../frame/use-change';

interface TagDialogProps {
  existing: Schemas['Tag'] | undefined;
  categories: Schemas['TagCategory'][];
  onClose: () => void;
}

/** A tag. An existing one keeps its name: another one would be another tag. */
export const TagDialog = ({ existing, categories, onClose }: TagDialogProps) => {
  const specs: Specs = {
    ...(existing === undefined && { tag_name: { kind: 'text', label: 'Name', isRequired: true, maxLength: 100 } }),
    category_id: {
      kind: 'choice',
      label: 'Category',
      options: [['', 'None'], ...categories.map(({ id, name }) => [id, name] as const)],
    },
    description: {
      kind: 'long',
      label: 'What it is for',
      hint: 'A connected model suggests it by that.',
      maxLength: 500,
      rows: 2,
    },
    exclude_from_auto_tagging: { kind: 'check', label: 'The AI never applies it by itself' },
  };
  const save = useChange(
    async (changes: Written) => dataOf(api.PUT('/tags', { body: await tagIn(specs, changes, existing) })),
    {
      stale: [tagsQuery.queryKey, ['getAutoTagging']],
      says: 'Saved',
    },
  );
  return (
    <SpecDialog
      title={existing?.tag_name ?? 'New tag'}
      action="Save"
      specs={specs}
      stored={existing ?? {}}
      save={save}
      onSave={(_, changes) => save.mutate(changes, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
};

/** Returns the changes of a tag. The API keeps absent fields, except the AI's permissions: those are read again. */
async function tagIn(specs: Specs, changes: Written, existing: Schemas['Tag'] | undefined) {
  const changed: Partial<Schemas['UpsertTag']> = valuesIn(specs, changes, { isNullable: true });
  const { tag_name = '' } = existing ?? changed;
  if (existing === undefined || 'exclude_from_auto_tagging' in changed) return { ...changed, tag_name };
  const tags = await dataOf(api.GET('/tags'));
  const now = tags.find((tag) => tag.tag_name.toLowerCase() === tag_name.toLowerCase()) ?? existing;
  return { exclude_from_auto_tagging: now.exclude_from_auto_tagging, ...changed, tag_name };
}
