import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { categoriesQuery, type InsightSearch, insightsQuery, type ListedInsight } from '../../../api/insights';
import { useMay } from '../../../api/may';
import { teamsQuery } from '../../../api/queries';
import { CHANNEL_CHOICES } from '../../../ui/channels';
import { DataList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { FilterBar, type FilterField } from '../../../ui/lists/filter-bar';
import { useSelection } from '../../../ui/lists/selection';
import { Page } from '../../../ui/page';
import { Button, Chip, Empty } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { InsightTabs } from '../tabs';
import { SENTIMENTS, STATUSES } from '../words';
import { Categories } from './categories';
import { MergeDialog } from './merge-dialog';
import { Trend } from './trend';

const named = <Value extends string>(words: Record<Value, { name: string }>): [string, string][] =>
  Object.entries<{ name: string }>(words).map(([value, { name }]) => [value, name]);

/** What customers keep running into, with how often and lately. */
export const Insights = () => {
  const search = useSearch({ from: '/insights' });
  const navigate = useNavigate();
  const mayWrite = useMay('insights:write');
  const [dialog, open] = useState<'merge' | 'categories'>();
  const list = useInfiniteQuery(insightsQuery(search));
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const total = list.data?.pages[0]?.total;
  const selection = useSelection(rows, { isActive: mayWrite, of: JSON.stringify(search) });
  const chosen = rows.filter(({ id }) => selection.ids.has(id));
  return (
    <Page
      title="Insights"
      tabs={<InsightTabs />}
      actions={<Button onClick={() => open('categories')}>Categories</Button>}
    >
      <FilterBar
        search={search}
        searched="Search insights"
        fields={useFields()}
        onChange={(changed) => void navigate({ to: '/insights', search: changed })}
      >
        {chosen.length > 1 ? (
          <Button look="main" onClick={() => open('merge')}>
            Merge {chosen.length} insights
          </Button>
        ) : (
          total !== undefined && <span className="text-xs text-quiet">{total.toLocaleString()} insights</span>
        )}
      </FilterBar>
      <DataList
        label="Insights"
        query={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/insights/$insightId', params: { insightId: id } })}
        selection={mayWrite ? selection : undefined}
        nameOf={({ content }) => content}
        empty={
          Object.keys(search).length > 0 ? (
            <Empty title="Nothing was found">No insight meets the filters.</Empty>
          ) : (
            <Empty title="No open insight">
              What customers say is gathered when conversations are resolved or handed off.
            </Empty>
          )
        }
      />
      {dialog === 'merge' && (
        <MergeDialog
          insights={chosen}
          onMerged={() => {
            selection.clear();
            open(undefined);
          }}
          onClose={() => open(undefined)}
        />
      )}
      {dialog === 'categories' && <Categories mayWrite={mayWrite} onClose={() => open(undefined)} />}
    </Page>
  );
};

function useFields(): FilterField<keyof InsightSearch>[] {
  const categories = useQuery(categoriesQuery).data?.categories ?? [];
  const teams = useQuery(teamsQuery).data ?? [];
  return [
    { name: 'status', label: 'Status', all: 'Unresolved', options: [['all', 'All'], ...named(STATUSES).slice(1)] },
    { name: 'category', label: 'Category', options: categories.map((one) => [one, one]) },
    { name: 'sentiment', label: 'Sentiment', options: named(SENTIMENTS) },
    {
      name: 'team',
      label: 'Team',
      options: [['not_assigned', 'No team'], ...teams.map(({ id, name }): [string, string] => [id, name])],
    },
    { name: 'channel', label: 'Channel', options: CHANNEL_CHOICES },
    {
      name: 'days',
      label: 'Conversations of',
      all: 'All time',
      options: [
        ['7', 'The last 7 days'],
        ['30', 'The last 30 days'],
        ['90', 'The last 90 days'],
      ],
    },
    {
      name: 'sort',
      label: 'Order',
      all: 'Most conversations',
      options: [
        ['last_seen_at', 'Last said'],
        ['first_seen_at', 'First said'],
        ['created_at', 'Newest'],
      ],
    },
  ];
}

const COLUMNS: Column<ListedInsight>[] = [
  {
    name: 'Insight',
    track: 'minmax(0,3fr)',
    narrow: 'line',
    cell: ({ content, number }) => (
      <span className="block truncate" title={content}>
        <span className="text-quiet tabular-nums">#{number}</span> {content}
      </span>
    ),
  },
  {
    name: 'Status',
    track: '7rem',
    cell: ({ status, reopened_because }) => (
      <span className="flex flex-wrap gap-1">
        <Chip tone={STATUSES[status].tone}>
          {status === 'unresolved' && reopened_because !== null ? 'Reopened' : STATUSES[status].name}
        </Chip>
      </span>
    ),
  },
  { name: 'Trend', track: '8.5rem', cell: ({ trend }) => <Trend weeks={trend} /> },
  {
    name: 'Conversations',
    track: '7rem',
    isNumber: true,
    cell: ({ occurrence_count }) => occurrence_count.toLocaleString(),
  },
  {
    name: 'Sentiment',
    track: '6rem',
    cell: ({ sentiment }) =>
      sentiment !== null && <Chip tone={SENTIMENTS[sentiment].tone}>{SENTIMENTS[sentiment].name}</Chip>,
  },
  {
    name: 'Category',
    track: 'minmax(0,1fr)',
    narrow: 'hidden',
    cell: ({ category }) => category !== null && <span className="block truncate">{category}</span>,
  },
  {
    name: 'Team',
    track: 'minmax(0,1fr)',
    narrow: 'hidden',
    cell: ({ team }) => team !== null && <span className="block truncate">{team.name}</span>,
  },
  {
    name: 'Last said',
    track: '6rem',
    isNumber: true,
    cell: ({ last_seen_at }) => last_seen_at !== null && <Ago at={last_seen_at} />,
  },
];
