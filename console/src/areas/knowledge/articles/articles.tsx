import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type Article, articlesQuery, collectionsQuery } from '../../../api/knowledge';
import { useMay } from '../../../api/may';
import { DataList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { FilterBar } from '../../../ui/lists/filter-bar';
import { Page } from '../../../ui/page';
import { Button, Chip, Empty, lookOf } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { KnowledgeTabs } from '../tabs';
import { Collections } from './collections';

/** What people have written for the AI, by collection. */
export const Articles = () => {
  const { collection } = useSearch({ from: '/knowledge' });
  const navigate = useNavigate();
  const mayWrite = useMay('training:write');
  const [isManaging, manage] = useState(false);
  const list = useInfiniteQuery(articlesQuery({ directory_id: collection }));
  const collections = useQuery(collectionsQuery).data ?? [];
  const nameOf = (id: string | null) => collections.find((one) => one.id === id)?.name;
  return (
    <Page
      title="Knowledge"
      tabs={<KnowledgeTabs />}
      actions={
        <>
          <Button onClick={() => manage(true)}>Collections</Button>
          {mayWrite && (
            <Link
              to="/knowledge/articles/$articleId"
              params={{ articleId: 'new' }}
              search={{ collection }}
              className={lookOf('main')}
            >
              New article
            </Link>
          )}
        </>
      }
    >
      <FilterBar
        search={{ collection }}
        fields={[
          {
            name: 'collection',
            label: 'Collection',
            options: collections.map(({ id, name }) => [id, name] as [string, string]),
          },
        ]}
        onChange={(search) => void navigate({ to: '/knowledge', search })}
      />
      <DataList
        label="Articles"
        query={list}
        columns={columnsOf(nameOf)}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/knowledge/articles/$articleId', params: { articleId: id } })}
        empty={
          collection === undefined ? (
            <Empty title="No article yet">What you write here the AI knows as soon as it is published.</Empty>
          ) : (
            <Empty title="The collection is empty">An article is put into it where it is edited.</Empty>
          )
        }
      />
      {isManaging && <Collections mayWrite={mayWrite} onClose={() => manage(false)} />}
    </Page>
  );
};

const columnsOf = (nameOf: (id: string | null) => string | undefined): Column<Article>[] => [
  {
    name: 'Article',
    track: 'minmax(0,2fr)',
    narrow: 'line',
    cell: ({ title }) => <span className="block truncate">{title}</span>,
  },
  {
    name: 'State',
    track: '7rem',
    cell: ({ is_draft }) => <Chip tone={is_draft ? 'warn' : 'good'}>{is_draft ? 'Draft' : 'Published'}</Chip>,
  },
  {
    name: 'Used',
    track: '9rem',
    cell: ({ type, visibility }) =>
      type === 'BEHAVIORAL' ? 'In each answer' : visibility === 'public' ? 'May be quoted' : 'Not shown',
  },
  {
    name: 'Collection',
    track: 'minmax(0,1fr)',
    cell: ({ directory_id }) => <span className="block truncate text-quiet">{nameOf(directory_id) ?? '–'}</span>,
  },
  { name: 'Changed', track: '7rem', isNumber: true, cell: ({ updated_at }) => <Ago at={updated_at} /> },
];
