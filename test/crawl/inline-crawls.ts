import { finishCrawl } from '../../src/crawl/jobs/finishing.service.ts';
import { seedCrawl } from '../../src/crawl/queue/seeding.service.ts';
import { crawlBatch } from '../../src/crawl/visiting/batch.service.ts';
import type { Extractor } from '../../src/extraction/service.ts';
import type { FakeSite } from '../support/fakes/site.ts';
import type { TestApi } from '../support/stack/api.ts';

export const isStopped = () => false;

/** A crawl unknown to any worker. */
export interface InlineCrawl {
  orgId: string;
  datasourceId: string;
  jobId: string;
}

/** Adds a datasource whose crawl no worker runs. */
export async function beginInline(api: TestApi, site: FakeSite, more: object = {}): Promise<InlineCrawl> {
  const { body } = await api.org.post('/crawl', { url: `${site.url}/`, page_limit: 500, ...more });
  const [job] = (await api.org.get(`/crawl/${body.id}/crawls`)).body.items;
  return { orgId: api.org.id, datasourceId: body.id, jobId: job.id };
}

/** Runs a crawl to its end in this process and returns it. */
export async function runInline(api: TestApi, extractor: Extractor, of: InlineCrawl) {
  const deps = { egress: api.deps.egress, extractor, delayMs: 0 };
  await seedCrawl(api.db, deps, of, isStopped);
  for (let batch = 1; ; batch++) {
    const { state } = await crawlBatch(api.db, deps, of, { batch, isStopped });
    if (state === 'drained') break;
  }
  await finishCrawl(api.db, of);
  return (await api.org.get(`/crawl/${of.datasourceId}/crawls/${of.jobId}`)).body;
}

/** Crawls a datasource once more in this process and returns the crawl. */
export async function runInlineAgain(api: TestApi, extractor: Extractor, of: InlineCrawl) {
  const { body } = await api.org.post(`/crawl/${of.datasourceId}/crawls`);
  return runInline(api, extractor, { ...of, jobId: body.id });
}
