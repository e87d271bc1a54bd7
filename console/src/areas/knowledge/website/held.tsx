import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../../../api/client';
import { type Crawl, type CrawlPage, crawlPagesQuery } from '../../../api/knowledge';
import { say } from '../../../app/undo';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { ShortList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { Button, Empty } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { shownDetail } from './words';

/** Pages that seem to be gone, but too many at once: somebody has them removed, or keeps them. */
export const Held = ({ crawl, mayWrite }: { crawl: Crawl; mayWrite: boolean }) => {
  const { id: jobId, datasource_id: id, held_pages } = crawl;
  const client = useQueryClient();
  const [isAsked, ask] = useState(false);
  const list = useInfiniteQuery(crawlPagesQuery(id, { reason: 'removal_held' }));
  const params = { path: { id, jobId } };
  const options = {
    onError: (error: Error) => say(error.message, { isError: true }),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['listWebsites'] }),
        ...['getWebsite', 'listCrawls', 'listCrawlPages', 'listCrawlChanges'].map((name) =>
          client.invalidateQueries({ queryKey: [name, id] }),
        ),
      ]),
  };
  const remove = useMutation({
    mutationFn: () => dataOf(api.POST('/crawl/{id}/crawls/{jobId}/removals', { params })),
    onSuccess: ({ affected }) => say(`${affected.toLocaleString()} pages are removed`),
    ...options,
  });
  const keep = useMutation({
    mutationFn: () => dataOf(api.DELETE('/crawl/{id}/crawls/{jobId}/removals', { params })),
    onSuccess: ({ affected }) => say(`${affected.toLocaleString()} pages are kept`),
    ...options,
  });
  const isBusy = remove.isPending || keep.isPending;
  return (
    <Section
      title={`${held_pages.toLocaleString()} removals are held`}
      className="border-note-line"
      actions={
        mayWrite && (
          <>
            <Button disabled={isBusy} onClick={() => keep.mutate()}>
              Keep the pages
            </Button>
            <Button look="main" disabled={isBusy} onClick={() => ask(true)}>
              Remove them
            </Button>
          </>
        )
      }
    >
      <p className="border-b border-line bg-warn px-4 py-2 text-warn-text">
        These pages seem to be gone from the site, and are many at once. Until somebody decides, the AI answers by them
        as before. Pages that are kept are removed only if later crawls find them gone again.
      </p>
      <ShortList
        label="Held pages"
        query={list}
        columns={COLUMNS}
        keyOf={({ id: pageId }) => pageId}
        empty={<Empty title="None is held any more">A later crawl has found them again.</Empty>}
      />
      {isAsked && (
        <ConfirmDialog
          title={`Remove ${held_pages.toLocaleString()} pages`}
          action="Remove the pages"
          onConfirm={() => remove.mutate()}
          onClose={() => ask(false)}
        >
          The AI no longer knows them. A page that comes back to the site is found by the next crawl.
        </ConfirmDialog>
      )}
    </Section>
  );
};

const COLUMNS: Column<CrawlPage>[] = [
  {
    name: 'Page',
    track: 'minmax(0,1fr)',
    narrow: 'line',
    cell: ({ title, url }) => (
      <>
        <span className="block truncate">{title ?? url}</span>
        <span className="block truncate text-xs text-quiet">{url}</span>
      </>
    ),
  },
  { name: 'Why', track: '14rem', cell: ({ detail }) => shownDetail(detail) },
];
