import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { websiteQuery } from '../../../api/knowledge';
import { useMay } from '../../../api/may';
import { lazily } from '../../../ui/lazily';
import { Page, TAB, Tabs } from '../../../ui/page';
import { Chip } from '../../../ui/parts';
import { WaitingPage } from '../../../ui/query-page';
import { TitlePath } from '../../../ui/title-path';
import { Controls } from './controls';
import { Crawls } from './crawls';

const HOURS_OF_A_DAY = 24;
const DAYS_OF_A_WEEK = 7;

function shownInterval(hours: number): string {
  const days = hours / HOURS_OF_A_DAY;
  if (!Number.isInteger(days)) return hours === 1 ? 'hour' : `${hours} hours`;
  if (days === DAYS_OF_A_WEEK) return 'week';
  return days === 1 ? 'day' : `${days} days`;
}

const Pages = lazily(async () => (await import('./pages')).Pages);

/** A website: its crawls with what each changed, and its pages with why one is not known. */
export const WebsitePage = () => {
  const { websiteId } = useParams({ from: '/knowledge/websites/$websiteId' });
  const { tab } = useSearch({ from: '/knowledge/websites/$websiteId' });
  const mayWrite = useMay('crawl:write');
  const query = useQuery(websiteQuery(websiteId));
  const website = query.data;
  useCrawlEnds(website?.id, website?.active_crawl_job?.id);
  if (website === undefined) return <WaitingPage title="Website" query={query} missing="There is no such website" />;
  const { total, synced, error, excluded } = website.page_stats;
  return (
    <Page
      title={<TitlePath above="Websites" to="/knowledge/websites" title={website.display_name} />}
      actions={
        <>
          {website.status === 'paused' && <Chip tone="warn">Paused</Chip>}
          {mayWrite && <Controls website={website} />}
        </>
      }
      tabs={
        <Tabs label="Website">
          {(
            [
              [undefined, 'Crawls'],
              ['pages', `Pages (${total.toLocaleString()})`],
            ] as const
          ).map(([value, name]) => (
            <Link
              key={name}
              to="/knowledge/websites/$websiteId"
              params={{ websiteId }}
              search={{ tab: value }}
              activeOptions={{ exact: true }}
              aria-current={value === tab ? 'page' : undefined}
              className={TAB}
            >
              {name}
            </Link>
          ))}
        </Tabs>
      }
    >
      <p className="shrink-0 border-b border-line px-4 py-2 text-quiet">
        <a
          href={website.url}
          target="_blank"
          rel="noopener noreferrer nofollow"
          className="text-link break-all underline"
        >
          {website.url}
        </a>{' '}
        · {synced.toLocaleString()} known, {error.toLocaleString()} failed, {excluded.toLocaleString()} left out ·{' '}
        {website.crawl_interval_hours === null
          ? 'crawled only by hand'
          : `crawled every ${shownInterval(website.crawl_interval_hours)}`}
      </p>
      {website.error_message !== null && (
        <p role="status" className="shrink-0 bg-warn px-4 py-2 break-words text-warn-text">
          {website.error_message}
        </p>
      )}
      {tab === 'pages' ? (
        <Pages id={websiteId} mayWrite={mayWrite} />
      ) : (
        <Crawls website={website} mayWrite={mayWrite} />
      )}
    </Page>
  );
};

/** Reads the lists again when a crawl begins or ends. */
function useCrawlEnds(id: string | undefined, jobId: string | undefined): void {
  const client = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another crawl is what it is about
  useEffect(() => {
    if (id === undefined) return;
    for (const name of ['listCrawls', 'listCrawlPages', 'listCrawlChanges'])
      void client.invalidateQueries({ queryKey: [name, id] });
  }, [client, id, jobId]);
}
