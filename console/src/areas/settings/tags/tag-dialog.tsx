import { api, dataOf, type Schemas } from '../../../api/client';
import { tagsQuery } from '../../../api/queries';
import { type Specs, valuesIn } from '../../../ui/forms/spec';
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
  const save = useChange((body: Schemas['UpsertTag']) => dataOf(api.PUT('/tags', { body })), {
    stale: [tagsQuery.queryKey, ['getAutoTagging']],
    says: 'Saved',
  });
  return (
    <SpecDialog
      title={existing?.tag_name ?? 'New tag'}
      action="Save"
      specs={specs}
      stored={existing ?? {}}
      save={save}
      onSave={(values) => {
        const written = valuesIn(specs, values, { isNullable: true }) as Omit<Schemas['UpsertTag'], 'tag_name'>;
        save.mutate(
          { tag_name: existing?.tag_name ?? String(values.tag_name ?? ''), ...written },
          { onSuccess: onClose },
        );
      }}
      onClose={onClose}
    />
  );
};
