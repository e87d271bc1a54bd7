import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { api, dataOf } from '../../../api/client';
import { type Crawl, crawlChangesQuery } from '../../../api/knowledge';
import { say } from '../../../app/undo';
import { PartsBar, PartsLegend } from '../../../ui/charts/parts-bar';
import { ShowMore } from '../../../ui/lists/show-more';
import { Button, Chip, Empty, failureOf, Skeleton } from '../../../ui/parts';
import { Progress } from '../../../ui/progress';
import { Ago } from '../../../ui/times/ago';
import { ChangeRow, KINDS } from './change-row';
import { Held } from './held';
import { CRAWL_STATES, isUnderWay } from './words';

interface ReportProps {
  crawl: Crawl;
  /** Whether a later crawl has checked the pages that it held. */
  isSuperseded: boolean;
  mayWrite: boolean;
}

/** The report of a crawl: its progress, unreadable pages, changes held back, and each change with its diff. */
export const Report = ({ crawl, isSuperseded, mayWrite }: ReportProps) => {
  const { datasource_id: id, error_message, page_limit_reached, dropped_urls, sitemap_problems } = crawl;
  const parts = [
    { name: 'new', tone: 'good', count: crawl.new_pages },
    { name: 'changed', tone: 'accent', count: crawl.updated_pages },
    { name: 'unchanged', tone: 'plain', count: crawl.unchanged_pages },
    { name: 'removed', tone: 'bad', count: crawl.removed_pages },
    { name: isSuperseded ? 'held then' : 'held', tone: isSuperseded ? 'quiet' : 'warn', count: crawl.held_pages },
  ] as const;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it only where it has the focus
    <section aria-label="Report" tabIndex={0} className="min-h-0 min-w-0 flex-1 space-y-3 overflow-y-auto bg-page p-4">
      <div className="space-y-2 rounded-lg border border-line bg-surface p-4">
        <div className="flex flex-wrap items-center gap-2">
          <Chip tone={CRAWL_STATES[crawl.status].tone}>{CRAWL_STATES[crawl.status].name}</Chip>
          <span className="flex-1 text-quiet">
            Begun <Ago at={crawl.started_at ?? crawl.created_at} />
          </span>
          {isUnderWay(crawl) && mayWrite && <CancelCrawl crawl={crawl} />}
        </div>
        {isUnderWay(crawl) ? (
          <Progress
            says={`${crawl.completed_pages.toLocaleString()} of ${crawl.total_pages.toLocaleString()} pages known so far`}
            done={crawl.completed_pages}
            total={crawl.total_pages === 0 ? undefined : crawl.total_pages}
          />
        ) : (
          <p role="status">
            {crawl.completed_pages.toLocaleString()} pages were visited.{' '}
            <Link
              to="/knowledge/websites/$websiteId"
              params={{ websiteId: id }}
              search={{ tab: 'pages', status: 'error' }}
              className="text-link underline"
            >
              Pages that failed
            </Link>
          </p>
        )}
        <PartsBar label="Pages" parts={[...parts]} />
        <PartsLegend parts={[...parts]} />
        {error_message !== null && (crawl.status === 'failed' || crawl.held_pages === 0) && (
          <p className="break-words text-bad-text">{error_message}</p>
        )}
        {page_limit_reached && <p className="text-warn-text">Pages were left out, as the page limit was reached.</p>}
        {dropped_urls > 0 && (
          <p className="text-warn-text">
            {dropped_urls.toLocaleString()} addresses were beyond a limit of a crawl. No page was removed for not being
            found.
          </p>
        )}
        {sitemap_problems.map(({ url, problem }) => (
          <p key={url} className="break-words text-warn-text">
            {url}: {problem}
          </p>
        ))}
      </div>
      {isSuperseded && <Superseded crawl={crawl} />}
      {crawl.held_pages > 0 && !isSuperseded && <Held crawl={crawl} mayWrite={mayWrite} />}
      <Changes id={id} jobId={crawl.id} />
    </section>
  );
};

const Superseded = ({ crawl: { datasource_id: id, held_pages } }: { crawl: Crawl }) => (
  <p className="rounded-lg border border-line bg-surface p-4 text-quiet">
    {held_pages === 1 ? 'One removal was held' : `${held_pages.toLocaleString()} removals were held`} by this crawl. A
    later crawl has checked these pages again: what it still holds is decided there.{' '}
    <Link to="/knowledge/websites/$websiteId" params={{ websiteId: id }} search={{}} className="text-link underline">
      The latest crawl
    </Link>
  </p>
);

const CancelCrawl = ({ crawl: { id, datasource_id } }: { crawl: Crawl }) => {
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/crawl/{id}/crawls/{jobId}/cancel', { params: { path: { id: datasource_id, jobId: id } } })),
    onError: (error) => say(error.message, { isError: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ['getWebsite', datasource_id] }),
  });
  return (
    <Button disabled={cancel.isPending} onClick={() => cancel.mutate()}>
      Cancel the crawl
    </Button>
  );
};

const Changes = ({ id, jobId }: { id: string; jobId: string }) => {
  const search = useSearch({ from: '/knowledge/websites/$websiteId' });
  const kind = KINDS.find(([one]) => one === search.kind)?.[0];
  const navigate = useNavigate();
  const list = useInfiniteQuery(crawlChangesQuery(id, jobId, kind));
  const changes = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section aria-label="Changes" className="rounded-lg border border-line bg-surface">
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <h2 className="flex-1 font-semibold">Changes</h2>
        <select
          aria-label="Which changes"
          value={kind ?? ''}
          onChange={({ target }) =>
            void navigate({
              to: '/knowledge/websites/$websiteId',
              params: { websiteId: id },
              search: { ...search, kind: target.value || undefined },
              replace: true,
            })
          }
          className="h-8 rounded-md border border-line bg-surface px-1.5"
        >
          <option value="">All</option>
          {KINDS.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </header>
      {failureOf(list)}
      {list.isPending && <Skeleton rows={3} />}
      {list.data !== undefined && changes.length === 0 && (
        <Empty title="No change">What the AI knows is as it was.</Empty>
      )}
      <ul>
        {changes.map((change) => (
          <li key={change.id} className="border-b border-line px-4 py-2 last:border-b-0">
            <ChangeRow change={change} />
          </li>
        ))}
      </ul>
      <ShowMore query={list} look="quiet" className="m-2" />
    </section>
  );
};
