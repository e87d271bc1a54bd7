import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Website, websitesQuery } from '../../../api/knowledge';
import { useMay } from '../../../api/may';
import { DataList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { Page } from '../../../ui/page';
import { Button, Chip, Empty } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { KnowledgeTabs } from '../tabs';
import { AddWebsite } from './add-website';

/** The websites whose pages the AI knows. */
export const Websites = () => {
  const list = useInfiniteQuery(websitesQuery);
  const mayWrite = useMay('crawl:write');
  const [isAdding, add] = useState(false);
  return (
    <Page
      title="Knowledge"
      tabs={<KnowledgeTabs />}
      actions={
        mayWrite && (
          <Button look="main" onClick={() => add(true)}>
            Add a website
          </Button>
        )
      }
    >
      <DataList
        label="Websites"
        query={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/knowledge/websites/$websiteId', params: { websiteId: id } })}
        empty={
          <Empty title="No website yet">Add the address of your documentation, and the AI learns its pages.</Empty>
        }
      />
      {isAdding && <AddWebsite onClose={() => add(false)} />}
    </Page>
  );
};

const COLUMNS: Column<Website>[] = [
  {
    name: 'Website',
    track: 'minmax(0,1fr)',
    narrow: 'line',
    cell: ({ display_name }) => <span className="block truncate">{display_name}</span>,
  },
  {
    name: 'Address',
    track: 'minmax(0,1fr)',
    narrow: 'line',
    cell: ({ url }) => <span className="block truncate text-quiet">{url}</span>,
  },
  {
    name: 'State',
    track: '6rem',
    cell: ({ status }) => (
      <Chip tone={status === 'active' ? 'good' : 'warn'}>{status === 'active' ? 'Active' : 'Paused'}</Chip>
    ),
  },
  {
    name: 'Last crawl',
    track: '8rem',
    cell: ({ last_crawl_completed_at: at }) =>
      at === null ? <span className="text-quiet">Never</span> : <Ago at={at} />,
  },
  {
    name: 'Problem',
    track: 'minmax(0,1fr)',
    narrow: 'line',
    cell: ({ error_message }) =>
      error_message === null ? null : (
        <span title={error_message} className="block truncate text-xs text-bad-text">
          {error_message}
        </span>
      ),
  },
];
