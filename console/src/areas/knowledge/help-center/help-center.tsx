import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Schemas } from '../../../api/client';
import { helpArticlesQuery } from '../../../api/knowledge';
import { DataList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { FilterBar } from '../../../ui/lists/filter-bar';
import { Page } from '../../../ui/page';
import { Empty } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { KnowledgeTabs } from '../tabs';

/** The articles that customers read in the help center. */
export const HelpCenter = () => {
  const { q } = useSearch({ from: '/knowledge/help-center' });
  const navigate = useNavigate();
  const list = useInfiniteQuery(helpArticlesQuery(q));
  return (
    <Page title="Knowledge" tabs={<KnowledgeTabs />}>
      <FilterBar
        search={{ q }}
        fields={[]}
        searched="A question"
        onChange={(search) => void navigate({ to: '/knowledge/help-center', search })}
      />
      <DataList
        label="Help center articles"
        query={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/knowledge/help-center/$articleId', params: { articleId: id } })}
        empty={
          q === undefined ? (
            <Empty title="The help center is empty">Its articles are synced by PUT /help-center/content.</Empty>
          ) : (
            <Empty title="Nothing was found">No article answers the question.</Empty>
          )
        }
      />
    </Page>
  );
};

const COLUMNS: Column<Schemas['ListedHelpCenterArticle']>[] = [
  {
    name: 'Article',
    track: 'minmax(0,1.5fr)',
    narrow: 'line',
    cell: ({ title }) => <span className="block truncate">{title}</span>,
  },
  {
    name: 'Path',
    track: 'minmax(0,1fr)',
    narrow: 'line',
    cell: ({ path }) => <span className="block truncate text-quiet">{path}</span>,
  },
  {
    name: 'Helpful',
    track: '7rem',
    isNumber: true,
    cell: ({ feedback: { helpful, not_helpful } }) =>
      helpful + not_helpful === 0 ? '–' : `${helpful} of ${helpful + not_helpful}`,
  },
  { name: 'Changed', track: '7rem', isNumber: true, cell: ({ updated_at }) => <Ago at={updated_at} /> },
];
