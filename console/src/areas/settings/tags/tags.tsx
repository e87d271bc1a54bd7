import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { tagsQuery } from '../../../api/queries';
import { tagCategoriesQuery } from '../../../api/settings';
import { Chip, Empty } from '../../../ui/parts';
import { ListPage } from '../frame/list-page';
import { AutoTagging } from './auto-tagging';
import { Categories } from './categories';
import { TagDialog } from './tag-dialog';

type Tag = Schemas['Tag'];

/** The tags, their categories, and what the AI applies of them. */
export const Tags = () => {
  const categories = useQuery(tagCategoriesQuery).data ?? [];
  const mayWrite = useMay('tags:write');
  const categoryOf = ({ category_id }: Tag) => categories.find(({ id }) => id === category_id)?.name;
  return (
    <ListPage
      title="Tags"
      query={useQuery(tagsQuery)}
      mayWrite={mayWrite}
      add="New tag"
      empty={<Empty title="No tag yet">A tag says what a conversation is about.</Empty>}
      keyOf={({ tag_name }) => tag_name}
      nameOf={({ tag_name }) => tag_name}
      row={(tag) => <TagRow tag={tag} category={categoryOf(tag)} />}
      form={(existing, onClose) => <TagDialog existing={existing} categories={categories} onClose={onClose} />}
      remove={{
        what: 'the tag',
        says: 'It is taken off all conversations. Their histories still name it.',
        run: ({ tag_name }) => dataOf(api.DELETE('/tags/{tag_name}', { params: { path: { tag_name } } })),
        stale: [tagsQuery.queryKey],
      }}
    >
      <Categories mayWrite={mayWrite} />
      <AutoTagging mayWrite={mayWrite} />
    </ListPage>
  );
};

const TagRow = ({ tag, category }: { tag: Tag; category: string | undefined }) => (
  <>
    <p className="flex flex-wrap items-center gap-2 font-medium">
      <span className="min-w-0 break-words">{tag.tag_name}</span>
      {category !== undefined && <Chip>{category}</Chip>}
      {tag.exclude_from_auto_tagging && <Chip tone="warn">Not by the AI</Chip>}
    </p>
    {tag.description !== null && <p className="text-xs break-words text-quiet">{tag.description}</p>}
  </>
);
