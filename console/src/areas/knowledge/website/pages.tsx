import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../../../api/client';
import { type CrawlPage, type CrawlPageFilters, crawlPagesQuery } from '../../../api/knowledge';
import { say } from '../../../app/undo';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { DataList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { FilterBar, type FilterField } from '../../../ui/lists/filter-bar';
import { Button, Chip, Empty } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { PAGE_STATES, REASONS, shownDetail } from './words';

const FIELDS: FilterField<'status' | 'reason' | 'q'>[] = [
  {
    name: 'status',
    label: 'State',
    options: Object.entries(PAGE_STATES).map(([status, { name }]) => [status, name]),
  },
  { name: 'reason', label: 'Reason', options: Object.entries(REASONS) },
];

/** Every address that was found, with why it is not known if it is not. */
export const Pages = ({ id, mayWrite }: { id: string; mayWrite: boolean }) => {
  const { status, reason, q } = useSearch({ from: '/knowledge/websites/$websiteId' });
  const filters = { status, reason, q };
  const navigate = useNavigate();
  const list = useInfiniteQuery(crawlPagesQuery(id, filters as CrawlPageFilters));
  const change = usePageChange(id);
  const [excluded, exclude] = useState<CrawlPage>();
  return (
    <>
      <FilterBar
        search={filters}
        fields={FIELDS}
        searched="Address or title"
        onChange={(search) =>
          void navigate({
            to: '/knowledge/websites/$websiteId',
            params: { websiteId: id },
            search: { ...search, tab: 'pages' },
          })
        }
      />
      <DataList
        label="Pages"
        query={list}
        columns={mayWrite ? [...COLUMNS, actionBy(change.mutate, exclude)] : COLUMNS}
        keyOf={(page) => page.id}
        empty={<Empty title="No page">No page meets the filters.</Empty>}
      />
      {excluded !== undefined && (
        <ConfirmDialog
          title={`Exclude “${excluded.title ?? excluded.url}”`}
          action="Exclude the page"
          onConfirm={() => change.mutate({ page: excluded, action: 'exclude' })}
          onClose={() => exclude(undefined)}
        >
          The AI forgets the page, and no crawl brings it back until it is included again.
        </ConfirmDialog>
      )}
    </>
  );
};

interface PageChange {
  page: CrawlPage;
  action: 'exclude' | 'include' | 'resync';
}

const SAID = { exclude: 'Excluded', include: 'It is fetched', resync: 'It is fetched again' };

function usePageChange(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ page, action }: PageChange) => {
      const request = { params: { path: { id } }, body: { page_ids: [page.id] } };
      if (action === 'exclude') return dataOf(api.POST('/crawl/{id}/pages/exclude', request));
      if (action === 'include') return dataOf(api.POST('/crawl/{id}/pages/include', request));
      return dataOf(api.POST('/crawl/{id}/pages/resync', request));
    },
    onSuccess: (_, { action }) => say(SAID[action]),
    onError: (error) => say(error.message, { isError: true }),
    onSettled: () =>
      Promise.all(['getWebsite', 'listCrawlPages'].map((name) => client.invalidateQueries({ queryKey: [name, id] }))),
  });
}

const COLUMNS: Column<CrawlPage>[] = [
  {
    name: 'Page',
    track: 'minmax(0,2fr)',
    narrow: 'line',
    cell: ({ title, url }) => (
      <>
        <span className="block truncate">{title ?? url}</span>
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer nofollow"
          className="block truncate text-xs text-quiet hover:underline"
        >
          {url}
        </a>
      </>
    ),
  },
  {
    name: 'State',
    track: '6rem',
    cell: ({ status }) => <Chip tone={PAGE_STATES[status].tone}>{PAGE_STATES[status].name}</Chip>,
  },
  {
    name: 'Reason',
    track: 'minmax(0,1fr)',
    narrow: 'line',
    cell: ({ reason, detail, http_status, removed_at }) =>
      reason === null ? null : (
        <span title={shownDetail(detail) ?? undefined} className="block truncate text-xs">
          {[REASONS[reason], http_status, shownDetail(detail)].filter((part) => part !== null).join(' · ')}
          {removed_at !== null && (
            <span className="text-quiet">
              {' · since '}
              <Ago at={removed_at} />
            </span>
          )}
        </span>
      ),
  },
  {
    name: 'Read',
    track: '7rem',
    cell: ({ last_crawled_at: at }) => (at === null ? <span className="text-quiet">–</span> : <Ago at={at} />),
  },
];

const actionBy = (change: (change: PageChange) => void, exclude: (page: CrawlPage) => void): Column<CrawlPage> => ({
  name: 'Action',
  track: '11rem',
  cell: (page) => {
    const name = page.title ?? page.url;
    return page.status === 'excluded' || page.status === 'removed' ? (
      <Button look="quiet" aria-label={`Include ${name}`} onClick={() => change({ page, action: 'include' })}>
        Include
      </Button>
    ) : (
      <>
        <Button look="quiet" aria-label={`Fetch ${name} again`} onClick={() => change({ page, action: 'resync' })}>
          Fetch
        </Button>
        <Button look="quiet" aria-label={`Exclude ${name}`} onClick={() => exclude(page)}>
          Exclude
        </Button>
      </>
    );
  },
});
