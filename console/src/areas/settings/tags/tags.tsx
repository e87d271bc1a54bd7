import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { tagsQuery } from '../../../api/queries';
import { tagCategoriesQuery } from '../../../api/settings';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { Button, Chip, Empty } from '../../../ui/parts';
import { Rows } from '../frame/rows';
import { SettingsPage } from '../frame/settings-page';
import { useChange } from '../frame/use-change';
import { AutoTagging } from './auto-tagging';
import { Categories } from './categories';
import { TagDialog } from './tag-dialog';

type Tag = Schemas['Tag'];

/** The tags, their categories, and what the AI applies of them. */
export const Tags = () => {
  const list = useQuery(tagsQuery);
  const categories = useQuery(tagCategoriesQuery).data ?? [];
  const mayWrite = useMay('tags:write');
  const [changed, change] = useState<Tag | 'new'>();
  const [deleted, askToDelete] = useState<Tag>();
  const remove = useChange(
    (tag_name: string) => dataOf(api.DELETE('/tags/{tag_name}', { params: { path: { tag_name } } })),
    { stale: [tagsQuery.queryKey], says: 'Deleted', isQuick: true },
  );
  const nameOf = (id: string | null) => categories.find((category) => category.id === id)?.name;
  return (
    <SettingsPage
      title="Tags"
      query={list}
      actions={
        mayWrite && (
          <Button look="main" onClick={() => change('new')}>
            New tag
          </Button>
        )
      }
    >
      {list.data?.length === 0 && <Empty title="No tag yet">A tag says what a conversation is about.</Empty>}
      {list.data !== undefined && list.data.length > 0 && (
        <Rows
          label="Tags"
          items={list.data}
          keyOf={({ tag_name }) => tag_name}
          actions={
            mayWrite &&
            ((tag) => (
              <>
                <Button aria-label={`Change ${tag.tag_name}`} onClick={() => change(tag)}>
                  Change
                </Button>
                <Button look="quiet" aria-label={`Delete ${tag.tag_name}`} onClick={() => askToDelete(tag)}>
                  Delete
                </Button>
              </>
            ))
          }
        >
          {(tag) => (
            <>
              <p className="flex flex-wrap items-center gap-2 font-medium">
                <span className="min-w-0 break-words">{tag.tag_name}</span>
                {nameOf(tag.category_id) !== undefined && <Chip>{nameOf(tag.category_id)}</Chip>}
                {tag.exclude_from_auto_tagging && <Chip tone="warn">Not by the AI</Chip>}
              </p>
              {tag.description !== null && <p className="text-xs break-words text-quiet">{tag.description}</p>}
            </>
          )}
        </Rows>
      )}
      <Categories mayWrite={mayWrite} />
      <AutoTagging mayWrite={mayWrite} />
      {changed !== undefined && (
        <TagDialog
          existing={changed === 'new' ? undefined : changed}
          categories={categories}
          onClose={() => change(undefined)}
        />
      )}
      {deleted !== undefined && (
        <ConfirmDialog
          title={`Delete ${deleted.tag_name}`}
          action="Delete the tag"
          onConfirm={() => remove.mutate(deleted.tag_name)}
          onClose={() => askToDelete(undefined)}
        >
          It is taken off all conversations. Their histories still name it.
        </ConfirmDialog>
      )}
    </SettingsPage>
  );
};
