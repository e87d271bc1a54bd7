import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';
import { tagsQuery } from '../../../api/queries';
import { tagCategoriesQuery } from '../../../api/settings';
import { type Specs, valuesIn } from '../../../ui/forms/spec';
import { Button } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { useRowActions } from '../frame/row-actions';
import { SpecDialog } from '../frame/spec-dialog';
import { useChange } from '../frame/use-change';

type Category = Schemas['TagCategory'];

const SPECS: Specs = {
  name: { kind: 'text', label: 'Name', isRequired: true, maxLength: 100 },
  description: { kind: 'long', label: 'What it is for', maxLength: 500, rows: 2 },
};
const STALE = [tagCategoriesQuery.queryKey, tagsQuery.queryKey];

/** The groups of tags. */
export const Categories = ({ mayWrite }: { mayWrite: boolean }) => {
  const list = useQuery(tagCategoriesQuery).data ?? [];
  const { add, actionsOf, dialogs } = useRowActions<Category>({
    nameOf: ({ name }) => `the category ${name}`,
    form: (existing, onClose) => <CategoryDialog existing={existing} onClose={onClose} />,
    remove: {
      what: 'the category',
      says: 'Its tags stay, without a category.',
      run: ({ id }) => dataOf(api.DELETE('/tags/categories/{id}', { params: { path: { id } } })),
      stale: STALE,
    },
  });
  return (
    <Section title="Categories" actions={mayWrite && <Button onClick={add}>New category</Button>}>
      <ul aria-label="Categories" className="p-4">
        {list.length === 0 && (
          <li className="text-quiet">No category yet. They group tags, and each tag has at most one.</li>
        )}
        {list.map((category) => (
          <li key={category.id} className="flex flex-wrap items-center gap-2 py-1">
            <span className="min-w-0 flex-1 break-words">
              {category.name}
              {category.description !== null && (
                <span className="block text-xs text-quiet">{category.description}</span>
              )}
            </span>
            {mayWrite && actionsOf(category)}
          </li>
        ))}
      </ul>
      {dialogs}
    </Section>
  );
};

const CategoryDialog = ({ existing, onClose }: { existing: Category | undefined; onClose: () => void }) => {
  const save = useChange(
    (body: Schemas['CreateTagCategory']) =>
      existing === undefined
        ? dataOf(api.POST('/tags/categories', { body }))
        : dataOf(api.PATCH('/tags/categories/{id}', { params: { path: { id: existing.id } }, body })),
    { stale: STALE, says: 'Saved' },
  );
  return (
    <SpecDialog
      title={existing?.name ?? 'New category'}
      action="Save"
      specs={SPECS}
      stored={existing ?? {}}
      save={save}
      onSave={(_, changes) =>
        save.mutate(valuesIn(SPECS, changes, { isNullable: true }) as Schemas['CreateTagCategory'], {
          onSuccess: onClose,
        })
      }
      onClose={onClose}
    />
  );
};
