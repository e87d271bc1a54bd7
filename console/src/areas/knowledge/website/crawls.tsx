import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Schemas } from '../../../api/client';
import { type Crawl, crawlsQuery } from '../../../api/knowledge';
import { Chip, Empty, Failure, Skeleton } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { Report } from './report';
import { CRAWL_STATES, isSettled } from './words';

interface CrawlsProps {
  website: Schemas['WebsiteDatasourceDetails'];
  mayWrite: boolean;
}

/** The crawls of a website, the newest first, and the report of one. */
export const Crawls = ({ website: { id, active_crawl_job: active }, mayWrite }: CrawlsProps) => {
  const search = useSearch({ from: '/knowledge/websites/$websiteId' });
  const navigate = useNavigate();
  const list = useQuery(crawlsQuery(id));
  const crawls = list.data?.map((crawl) => (crawl.id === active?.id ? active : crawl)) ?? [];
  const chosen = crawls.find((crawl) => crawl.id === search.crawl) ?? crawls[0];
  if (list.isPending) return <Skeleton rows={5} />;
  if (list.error !== null && list.data === undefined)
    return <Failure error={list.error} onRetry={() => void list.refetch()} />;
  if (chosen === undefined) return <Empty title="Not crawled yet">Its pages are read by the first crawl.</Empty>;
  return (
    <div className="flex min-h-0 flex-1 flex-col min-[900px]:flex-row">
      <ul
        aria-label="Crawls"
        className="max-h-40 shrink-0 overflow-y-auto border-line max-[899px]:border-b min-[900px]:max-h-none min-[900px]:w-72 min-[900px]:border-r"
      >
        {crawls.map((crawl) => (
          <li key={crawl.id}>
            <button
              type="button"
              aria-current={crawl.id === chosen.id}
              onClick={() =>
                void navigate({
                  to: '/knowledge/websites/$websiteId',
                  params: { websiteId: id },
                  search: { crawl: crawl.id },
                  replace: true,
                })
              }
              className="flex w-full items-center gap-2 border-b border-line px-4 py-2 text-left hover:bg-hover aria-[current=true]:bg-selected"
            >
              <Chip tone={CRAWL_STATES[crawl.status].tone}>{CRAWL_STATES[crawl.status].name}</Chip>
              <span className="min-w-0 flex-1 truncate">{noteOf(crawl, crawls)}</span>
              <Ago at={crawl.created_at} className="text-xs text-quiet" />
            </button>
          </li>
        ))}
      </ul>
      <Report key={chosen.id} crawl={chosen} isSettled={isSettled(chosen, crawls)} mayWrite={mayWrite} />
    </div>
  );
};

function noteOf(crawl: Crawl, crawls: Crawl[]): string {
  if (crawl.held_pages > 0) return `${crawl.held_pages} ${isSettled(crawl, crawls) ? 'were held' : 'held'}`;
  return crawl.kind === 'pages' ? 'Single pages' : '';
}
