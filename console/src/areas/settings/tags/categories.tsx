import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { tagsQuery } from '../../../api/queries';
import { tagCategoriesQuery } from '../../../api/settings';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { type Specs, valuesIn } from '../../../ui/forms/spec';
import { Button } from '../../../ui/parts';
import { Section } from '../../../ui/section';
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
  const [changed, change] = useState<Category | 'new'>();
  const [deleted, askToDelete] = useState<Category>();
  const remove = useChange((id: string) => dataOf(api.DELETE('/tags/categories/{id}', { params: { path: { id } } })), {
    stale: STALE,
    says: 'Deleted',
    isQuick: true,
  });
  return (
    <Section title="Categories" actions={mayWrite && <Button onClick={() => change('new')}>New category</Button>}>
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
            {mayWrite && (
              <>
                <Button
                  look="quiet"
                  aria-label={`Change the category ${category.name}`}
                  onClick={() => change(category)}
                >
                  Change
                </Button>
                <Button
                  look="quiet"
                  aria-label={`Delete the category ${category.name}`}
                  onClick={() => askToDelete(category)}
                >
                  Delete
                </Button>
              </>
            )}
          </li>
        ))}
      </ul>
      {changed !== undefined && (
        <CategoryDialog existing={changed === 'new' ? undefined : changed} onClose={() => change(undefined)} />
      )}
      {deleted !== undefined && (
        <ConfirmDialog
          title={`Delete the category ${deleted.name}`}
          action="Delete the category"
          onConfirm={() => remove.mutate(deleted.id)}
          onClose={() => askToDelete(undefined)}
        >
          Its tags stay, without a category.
        </ConfirmDialog>
      )}
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
